// What plan() is made of: numbered rules, the prefix side, the exact side.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "policy/plan.h"
#include "policy/port_segments.h"
#include "policy/prefix_tree.h"

namespace sluice {

// A kernel rule and one address it covers by itself: a literal, or what its name resolved to.
struct Target {
    IpAddress address;
    const Rule* rule = nullptr;
    RuleId id;
};

struct PlanInput {
    const Policy& policy;
    std::vector<RuleId> deny_ids;                          // as policy.denies
    std::vector<std::pair<const Rule*, RuleId>> networks;  // kernel rules for more than one address
    std::vector<Target> targets;
};

// The longest-prefix table and what it says: port ranges of every address, flattened.
class PrefixPlan {
  public:
    // What one rule or deny entry says of one prefix.
    struct Own {
        IpPrefix prefix;
        PortSegment segment;
        bool builtin = false;
    };
    // Ports at which a baseline literal takes its address out of the builtin denies.
    using Lifts = std::map<IpAddress, std::vector<PortRange>>;

    static Result<PrefixPlan> make(const PlanInput& input);

    // The deny entry (index into policy.denies) for this address or the IPv4 inside it.
    [[nodiscard]] std::optional<std::uint32_t> denied(const IpAddress& address,
                                                      std::uint16_t port) const;
    // The same where every port of the range is denied; names the first port's entry. Of a
    // network: denied as a whole.
    [[nodiscard]] std::optional<std::uint32_t> denied_all(const IpPrefix& where,
                                                          const PortRange& ports) const;
    void write(Plan& plan) const;

  private:
    struct List {
        std::uint32_t first = 0;  // in pool_
        std::uint32_t count = 0;
    };
    explicit PrefixPlan(PrefixTree tree) : tree_(std::move(tree)) {}
    Status fill(const std::vector<std::span<const Own>>& spans, const Lifts& lifts);
    [[nodiscard]] std::span<const PortSegment> list_at(const IpPrefix& where) const;
    [[nodiscard]] std::span<const PortSegment> span_of(const List& list) const;

    PrefixTree tree_;
    std::vector<List> lists_;  // as tree_.nodes()
    std::vector<PortSegment> pool_;
};

// Collects "rule never matches" notes, one for a rule and deny entry.
class DenyNotes {
  public:
    explicit DenyNotes(const Policy& policy) : policy_(policy) {}
    void add(const Rule& rule, RuleId id, const IpPrefix& where, std::uint32_t deny);
    std::vector<std::string> take() { return std::move(notes_); }

  private:
    const Policy& policy_;
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen_;
    std::vector<std::string> notes_;
};

// Fills plan.exact, markers included; what a deny covers stays out and is noted.
Status write_exact(const PlanInput& input, const PrefixPlan& prefixes, DenyNotes& notes,
                   Plan& plan);

}  // namespace sluice
