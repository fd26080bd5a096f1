#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "policy/plan_parts.h"

namespace sluice {
namespace {

struct Entry {
    IpAddress address;
    std::uint16_t port = 0;  // 0: the address's marker
    std::uint32_t id = 0;
    [[nodiscard]] auto key() const { return std::tie(address, port); }
};

void add_ports(const Target& target, const PrefixPlan& prefixes, DenyNotes& notes,
               std::vector<Entry>& out) {
    const IpPrefix where = IpPrefix::host(target.address);
    for (const auto& range : target.rule->endpoint.ports.ranges()) {
        if (range.first != range.last) {
            if (const auto deny = prefixes.denied_all(where, range))
                notes.add(*target.rule, target.id, where, *deny);
        } else if (const auto deny = prefixes.denied(target.address, range.first)) {
            notes.add(*target.rule, target.id, where, *deny);
        } else {
            out.push_back({target.address, range.first, target.id.value});
        }
    }
}

std::pair<sluice_rule_key, sluice_rule_value> to_abi(const Entry& entry) {
    sluice_rule_key key{};
    std::memcpy(key.addr, entry.address.bytes.data(), sizeof key.addr);
    key.port_be = htons(entry.port);
    key.proto = IPPROTO_TCP;
    return {key, {entry.id}};
}

}  // namespace

void DenyNotes::add(const Rule& rule, RuleId id, const IpPrefix& where, std::uint32_t deny) {
    if (!seen_.emplace(id.value, deny).second) return;
    const DenyEntry& entry = policy_.denies[deny];
    const std::string address = where.to_string();
    const bool named = to_string(rule.endpoint.host) != address;
    notes_.push_back("never_matches: rule " + rule.text() + " never matches" +
                     (named ? " at " + address : "") + ": the host denies " + entry.text() + " (" +
                     entry.source.to_string() + ")");
}

Status write_exact(const PlanInput& input, const PrefixPlan& prefixes, DenyNotes& notes,
                   Plan& plan) {
    std::vector<Entry> entries;
    entries.reserve(2 * input.targets.size());
    for (const auto& target : input.targets) {
        entries.push_back({target.address, 0, 0});
        add_ports(target, prefixes, notes, entries);
    }
    const auto before = [](const Entry& a, const Entry& b) {
        return std::tuple(a.key(), a.id) < std::tuple(b.key(), b.id);
    };
    if (!std::ranges::is_sorted(entries, before)) std::ranges::sort(entries, before);
    const auto same = [](const Entry& a, const Entry& b) { return a.key() == b.key(); };
    entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
    if (entries.size() > kMaxEntries)
        return Error::invalid("the policy makes " + std::to_string(entries.size()) +
                              " exact entries (an address counts once and once for each port), " +
                              std::to_string(entries.size() - kMaxEntries) + " more than the " +
                              std::to_string(kMaxEntries) +
                              " a sandbox may have: write networks instead of single addresses");
    plan.exact.reserve(entries.size());
    for (const auto& entry : entries) plan.exact.push_back(to_abi(entry));
    return {};
}

}  // namespace sluice
