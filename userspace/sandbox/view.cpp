#include "sandbox/view.h"

#include <sluice/abi.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "policy/reason.h"
#include "policy/usable.h"
#include "sandbox/times.h"

namespace sluice::sandbox {

using nlohmann::json;

namespace {

// The policy's rules by path and text, to find the parts behind a planned one.
using Written = std::map<std::string, const Rule*, std::less<>>;

std::string written_key(Via via, const std::string& text) {
    return std::string(to_string(via)) + " " + text;
}

Written written(const Policy& policy) {
    Written out;
    for (const Rule& rule : policy.rules) out.emplace(written_key(rule.via, rule.text()), &rule);
    return out;
}

json installed_json(const Record& record, const State& state) {
    json hooks = json::object();
    bool pinned = !state.installed.hooks.empty();
    for (const auto& hook : state.installed.hooks) {
        hooks[hook.name] = hook.attached ? "attached" : "missing";
        pinned = pinned && hook.pinned;
    }
    const std::string& error = state.error.empty() ? record.probe.error : state.error;
    return {
        {"active", state.active},
        {"hooks", std::move(hooks)},
        {"pinned", pinned},
        {"probe", {{"when", rfc3339(record.probe.when)}, {"ok", error.empty()}, {"error", error}}},
        {"degraded", json::array()}};
}

json addresses_json(const Record& record, const Rule& rule, Time now) {
    json out = json::array();
    const auto* name = std::get_if<DnsName>(&rule.endpoint.host);
    if (name == nullptr || rule.via != Via::kKernel) return out;
    const auto found = record.resolution.names.find(name->text);
    if (found == record.resolution.names.end()) return out;
    const auto usable = usable_addresses(record.policy, record.resolution, *name);
    std::set<IpAddress> shown;
    for (const IpAddress& answered : found->second.addresses) {
        const IpAddress address = canonical_destination(answered);
        if (!shown.insert(address).second) continue;
        const bool used = std::ranges::binary_search(usable.addresses, address);
        out.push_back(address_json(address, found->second.when, now));
        if (!used) out.back()["state"] = "left_out";
    }
    return out;
}

Result<json> rule_json(const Record& record, const PlannedRule& planned, const Rule* rule,
                       KernelOps& kernel, Time now) {
    SLUICE_ASSIGN(const kernel::Hits hits, kernel.hits(record.cell->id(), planned.id));
    json out{{"id", planned.id.value},
             {"text", planned.text},
             {"via", to_string(planned.via)},
             {"host", rule == nullptr ? "" : to_string(rule->endpoint.host)},
             {"ports", rule == nullptr ? "" : rule->endpoint.ports.to_string()},
             {"layer", layer_of(planned.sources)},
             {"source", source_json(planned.sources)},
             {"note", planned.note},
             {"addresses", rule == nullptr ? json::array() : addresses_json(record, *rule, now)},
             {"hits", hits.count},
             {"last_hit", hits.last ? json(rfc3339(*hits.last)) : json()}};
    out["expires"] = rule != nullptr && rule->expires ? json(rfc3339(*rule->expires)) : json();
    return out;
}

Result<json> rules_json(const Record& record, KernelOps& kernel, Time now) {
    const Written index = written(record.policy);
    json out = json::array();
    for (const PlannedRule& planned : record.rules) {
        if (planned.deny) continue;
        const auto found = index.find(written_key(planned.via, planned.text));
        SLUICE_ASSIGN(json one,
                      rule_json(record, planned, found == index.end() ? nullptr : found->second,
                                kernel, now));
        out.push_back(std::move(one));
    }
    return out;
}

json counters_json(const kernel::Counters& counters) {
    std::uint64_t allowed = 0;
    std::uint64_t refused = 0;
    for (std::size_t reason = 0; reason < counters.by_reason.size(); ++reason) {
        // The live probe's own attempts are no refusals of the sandbox.
        if (reason == SLUICE_REASON_PORT_ZERO) continue;
        const bool deny = is_denial(static_cast<std::uint8_t>(reason));
        (deny ? refused : allowed) += counters.by_reason[reason];
    }
    return {{"allowed", allowed},
            {"refused", refused},
            {"events_limited", counters.events_limited},
            {"events_lost", counters.events_lost},
            {"denials_lost", counters.denials_lost}};
}

}  // namespace

State state_of(const Record& record, KernelOps& kernel) {
    State state;
    auto read = kernel.installed(record.cell->id());
    if (!read) {
        state.error = read.error().message;
        return state;
    }
    state.installed = std::move(*read);
    const auto& hooks = state.installed.hooks;
    const bool complete =
        !hooks.empty() &&
        std::all_of(hooks.begin(), hooks.end(), [](const auto& hook) { return hook.attached; });
    state.active = complete && record.probe.error.empty() && record.generation.value != 0 &&
                   state.installed.generation == record.generation;
    return state;
}

json summary(const Record& record, KernelOps& kernel) {
    const State state = state_of(record, kernel);
    const auto processes = record.cell->processes();
    return {{"name", record.name},
            {"owner", record.owner},
            {"cgroup", record.cell->path().string()},
            {"created", rfc3339(record.created)},
            {"generation", state.installed.generation.value},
            {"mode", record.policy.mode == Mode::kOpen ? "open" : "managed"},
            {"enabled", record.policy.enabled},
            {"active", state.active},
            {"processes", processes ? processes->size() : 0}};
}

Result<json> listing(const Record& record, KernelOps& kernel, Time now) {
    const State state = state_of(record, kernel);
    SLUICE_ASSIGN(json rules, rules_json(record, kernel, now));
    SLUICE_ASSIGN(json refused, denials(record, kernel));
    SLUICE_ASSIGN(const kernel::Counters counters, kernel.counters(record.cell->id()));
    const std::uint32_t flags = state.installed.flags;
    return json{{"sandbox", record.name},
                {"owner", record.owner},
                {"enabled", (flags & SLUICE_FLAG_DISABLED) == 0},
                {"mode", (flags & SLUICE_FLAG_OPEN) != 0 ? "open" : "managed"},
                {"generation", state.installed.generation.value},
                {"installed", installed_json(record, state)},
                {"rules", std::move(rules)},
                {"warnings", to_json(record.warnings)},
                {"denials", std::move(refused)},
                {"counters", counters_json(counters)},
                {"pending", json::array()},
                {"env", json::object()}};
}

json source_json(const std::vector<Source>& sources) {
    if (sources.empty()) return nullptr;
    const Source& source = sources.front();
    return {{"file", source.file}, {"line", source.line}, {"detail", source.detail}};
}

std::string layer_of(const std::vector<Source>& sources) {
    return sources.empty() ? std::string() : std::string(to_string(sources.front().layer));
}

json address_json(const IpAddress& address, Time resolved, Time now) {
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - resolved);
    return {{"ip", address.to_string()},
            {"age_s", std::max<std::int64_t>(age.count(), 0)},
            {"state", "fresh"}};
}

}  // namespace sluice::sandbox
