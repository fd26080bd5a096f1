#include <algorithm>
#include <cstring>
#include <map>

#include "policy/plan_parts.h"
#include "policy/range_pool.h"

namespace sluice {
namespace {

// Merging work that a policy may cause; far above what a sensible one needs.
constexpr std::size_t kMaxWork = std::size_t{1} << 24;
constexpr std::uint64_t kGrantRank = std::uint64_t{1} << 63;  // any deny ranks before any grant

using Own = PrefixPlan::Own;
using Lifts = PrefixPlan::Lifts;

bool from_baseline(const Rule& rule) {
    return std::ranges::any_of(rule.sources,
                               [](const Source& s) { return s.layer == Layer::kBaseline; });
}

Lifts find_lifts(const PlanInput& input) {
    Lifts lifts;
    for (const auto& target : input.targets) {
        if (!std::holds_alternative<IpPrefix>(target.rule->endpoint.host)) continue;
        if (!from_baseline(*target.rule)) continue;
        std::ranges::copy(target.rule->endpoint.ports.ranges(),
                          std::back_inserter(lifts[target.address]));
    }
    return lifts;
}

void add_grant(std::vector<Own>& out, const IpPrefix& prefix, const PortRange& range, RuleId id) {
    out.push_back({prefix, {kGrantRank | id.value, id.value, range.first, range.last}});
}

std::vector<Own> collect(const PlanInput& input) {
    std::vector<Own> own;
    for (std::size_t i = 0; i < input.policy.denies.size(); ++i) {
        const DenyEntry& deny = input.policy.denies[i];
        // The more specific entry explains better ("cloud metadata" before "link-local").
        const std::uint64_t rank = static_cast<std::uint64_t>(128 - deny.prefix.length) << 32 | i;
        const std::uint32_t value = SLUICE_RANGE_DENY | input.deny_ids[i].value;
        for (const auto& range : deny.ports.ranges())
            own.push_back({deny.prefix,
                           {rank, value, range.first, range.last},
                           deny.source.layer == Layer::kBuiltin});
    }
    for (const auto& [rule, id] : input.networks)
        for (const auto& range : rule->endpoint.ports.ranges())
            add_grant(own, std::get<IpPrefix>(rule->endpoint.host), range, id);
    for (const auto& target : input.targets)
        for (const auto& range : target.rule->endpoint.ports.ranges())
            if (range.first != range.last)
                add_grant(own, IpPrefix::host(target.address), range, target.id);
    std::ranges::stable_sort(own, {}, &Own::prefix);
    return own;
}

void cut_out(std::vector<PortSegment>& out, PortSegment segment,
             const std::vector<PortRange>& cut) {
    for (const auto& hole : cut) {
        if (hole.last < segment.first) continue;
        if (hole.first > segment.last) break;
        if (hole.first > segment.first)
            out.push_back({segment.rank, segment.value, segment.first,
                           static_cast<std::uint16_t>(hole.first - 1)});
        if (hole.last >= segment.last) return;
        segment.first = static_cast<std::uint16_t>(hole.last + 1);
    }
    out.push_back(segment);
}

// A node's own entries: a stretch of the sorted Own list.
using OwnSpan = std::span<const Own>;

std::vector<OwnSpan> own_by_node(const PrefixTree& tree, const std::vector<Own>& own) {
    std::vector<OwnSpan> out;
    out.reserve(tree.nodes().size());
    std::size_t at = 0;
    for (const auto& node : tree.nodes()) {
        const std::size_t from = at;
        while (at < own.size() && own[at].prefix == node.prefix) ++at;
        out.emplace_back(own.data() + from, at - from);
    }
    return out;
}

std::vector<PortSegment> joined_list(std::span<const PortSegment> inherited, OwnSpan own) {
    std::vector<PortSegment> all(inherited.begin(), inherited.end());
    for (const auto& entry : own) all.push_back(entry.segment);
    return winners(std::move(all));
}

// What holds at a lifted address: everything on the path, the builtin denies without its ports.
std::vector<PortSegment> lifted_list(const PrefixTree& tree, const std::vector<OwnSpan>& own,
                                     std::uint32_t node, std::vector<PortRange> ports) {
    std::ranges::sort(ports);
    std::vector<PortSegment> all;
    for (auto at = node; at != PrefixTree::kNone; at = tree.nodes()[at].parent) {
        for (const auto& entry : own[at]) {
            if (entry.builtin)
                cut_out(all, entry.segment, ports);
            else
                all.push_back(entry.segment);
        }
        if (!tree.nodes()[at].inherits) break;
    }
    return winners(std::move(all));
}

// A deny's rank ends in its index.
std::optional<std::uint32_t> deny_in(std::span<const PortSegment> list, std::uint16_t port) {
    const PortSegment* found = segment_at(list, port);
    if (!found || (found->value & SLUICE_RANGE_DENY) == 0) return std::nullopt;
    return static_cast<std::uint32_t>(found->rank);
}

bool all_denied(std::span<const PortSegment> list, const PortRange& ports) {
    for (std::uint32_t port = ports.first; port <= ports.last;) {
        const PortSegment* found = segment_at(list, static_cast<std::uint16_t>(port));
        if (!found || (found->value & SLUICE_RANGE_DENY) == 0) return false;
        port = found->last + 1U;
    }
    return true;
}

Error too_complex(std::string_view what, std::size_t limit) {
    return Error::invalid("the policy's networks and port ranges make more than " +
                          std::to_string(limit) + " " + std::string(what) +
                          ": write fewer overlapping networks, or fewer port ranges in them");
}

PrefixTree make_tree(const std::vector<Own>& own, const Lifts& lifts) {
    std::vector<IpPrefix> prefixes;
    prefixes.reserve(own.size() + lifts.size());
    for (const auto& entry : own) prefixes.push_back(entry.prefix);
    for (const auto& [address, ports] : lifts) prefixes.push_back(IpPrefix::host(address));
    return PrefixTree(std::move(prefixes));
}

}  // namespace

Result<PrefixPlan> PrefixPlan::make(const PlanInput& input) {
    const std::vector<Own> own = collect(input);
    const Lifts lifts = find_lifts(input);
    PrefixTree tree = make_tree(own, lifts);
    if (tree.nodes().size() > kMaxEntries) return too_complex("networks", kMaxEntries);
    const std::vector<std::span<const Own>> spans = own_by_node(tree, own);
    PrefixPlan made(std::move(tree));
    SLUICE_TRY(made.fill(spans, lifts));
    return made;
}

Status PrefixPlan::fill(const std::vector<std::span<const Own>>& spans, const Lifts& lifts) {
    RangePool pool(pool_);
    std::size_t work = 0;
    for (std::uint32_t i = 0; i < tree_.nodes().size(); ++i) {
        const auto& node = tree_.nodes()[i];
        const bool child = node.inherits && node.parent != PrefixTree::kNone;
        const auto lift = node.prefix.is_single() ? lifts.find(node.prefix.base) : lifts.end();
        if (child && spans[i].empty() && lift == lifts.end()) {
            lists_.push_back(lists_[node.parent]);
            continue;
        }
        std::vector<PortSegment> list;
        if (lift != lifts.end())
            list = lifted_list(tree_, spans, i, lift->second);
        else
            list = joined_list(child ? span_of(lists_[node.parent]) : std::span<PortSegment>{},
                               spans[i]);
        work += list.size();
        if (work > kMaxWork) return too_complex("merging steps", kMaxWork);
        const auto [first, count] = pool.put(list);
        lists_.push_back({first, count});
        if (pool_.size() > kMaxRanges) return too_complex("port ranges", kMaxRanges);
    }
    return {};
}

std::span<const PortSegment> PrefixPlan::span_of(const List& list) const {
    return std::span(pool_).subspan(list.first, list.count);
}

// A network that is granted somewhere is a node of its own; an address may be below one.
std::span<const PortSegment> PrefixPlan::list_at(const IpPrefix& where) const {
    const std::uint32_t node = where.is_single() ? tree_.longest(where.base) : tree_.find(where);
    return node == PrefixTree::kNone ? std::span<const PortSegment>{} : span_of(lists_[node]);
}

std::optional<std::uint32_t> PrefixPlan::denied(const IpAddress& address,
                                                std::uint16_t port) const {
    if (const auto deny = deny_in(list_at(IpPrefix::host(address)), port)) return deny;
    if (const auto inner = embedded_v4(address)) return denied(*inner, port);
    return std::nullopt;
}

std::optional<std::uint32_t> PrefixPlan::denied_all(const IpPrefix& where,
                                                    const PortRange& ports) const {
    const auto list = list_at(where);
    if (all_denied(list, ports)) return deny_in(list, ports.first);
    if (const auto inner = embedded_v4(where.base); inner && where.is_single())
        return denied_all(IpPrefix::host(*inner), ports);
    return std::nullopt;
}

void PrefixPlan::write(Plan& plan) const {
    plan.ranges.reserve(pool_.size());
    for (const auto& s : pool_) plan.ranges.push_back({s.first, s.last, s.value});
    plan.prefixes.reserve(lists_.size());
    for (std::size_t i = 0; i < lists_.size(); ++i) {
        const auto& prefix = tree_.nodes()[i].prefix;
        sluice_prefix_key key{.prefixlen = prefix.length, .addr = {}};
        std::memcpy(key.addr, prefix.base.bytes.data(), sizeof key.addr);
        const bool grants = std::ranges::any_of(span_of(lists_[i]), [](const PortSegment& s) {
            return (s.value & SLUICE_RANGE_DENY) == 0;
        });
        plan.prefixes.push_back(
            {key,
             {.first = lists_[i].first,
              .count = static_cast<std::uint16_t>(lists_[i].count),
              .flags = grants ? std::uint16_t{SLUICE_PREFIX_GRANTS} : std::uint16_t{0}}});
    }
}

}  // namespace sluice
