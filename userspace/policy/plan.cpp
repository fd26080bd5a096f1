#include "policy/plan.h"

#include <algorithm>

#include "policy/plan_parts.h"
#include "policy/usable.h"

namespace sluice {
namespace {

// By id; a deny that two layers state is one entry with two sources.
void sort_rules(std::vector<PlannedRule>& rules) {
    const auto rising = [](const PlannedRule& a, const PlannedRule& b) { return a.id >= b.id; };
    if (std::ranges::adjacent_find(rules, rising) == rules.end()) return;
    std::ranges::stable_sort(rules, {}, &PlannedRule::id);
    std::vector<PlannedRule> out;
    out.reserve(rules.size());
    for (auto& rule : rules) {
        if (!out.empty() && out.back().id == rule.id)
            std::ranges::move(rule.sources, std::back_inserter(out.back().sources));
        else
            out.push_back(std::move(rule));
    }
    rules = std::move(out);
}

std::vector<RuleId> number_denies(const Policy& policy, RuleIds& ids, Plan& plan) {
    std::vector<RuleId> out;
    for (const auto& deny : policy.denies) {
        std::string text = deny.text();
        const RuleId id = ids.id_for(deny_key(text));
        out.push_back(id);
        plan.rules.push_back({id, std::move(text), Via::kKernel, true, {deny.source}, deny.note});
    }
    return out;
}

std::vector<RuleId> number_rules(const Policy& policy, RuleIds& ids, Plan& plan) {
    std::vector<RuleId> out;
    out.reserve(policy.rules.size());
    for (const auto& rule : policy.rules) {
        std::string text = rule.text();
        const RuleId id = ids.id_for(rule_key(text, rule.via));
        out.push_back(id);
        plan.rules.push_back({id, std::move(text), rule.via, false, rule.sources, rule.note});
    }
    return out;
}

// Names are asked once, however many rules have them: policy.rules keeps a name's rules together.
class Names {
  public:
    Names(const Policy& policy, const Resolution& resolution, std::vector<std::string>& notes)
        : policy_(policy), resolution_(resolution), notes_(notes) {}

    const std::vector<IpAddress>& of(const DnsName& name) {
        if (name == last_) return usable_.addresses;
        last_ = name;
        usable_ = usable_addresses(policy_, resolution_, name);
        std::ranges::move(usable_.notes, std::back_inserter(notes_));
        return usable_.addresses;
    }

  private:
    const Policy& policy_;
    const Resolution& resolution_;
    std::vector<std::string>& notes_;
    DnsName last_;
    Usable usable_;
};

void add_targets(const Rule& rule, RuleId id, Names& names, PlanInput& input, Plan& plan) {
    if (const auto* prefix = std::get_if<IpPrefix>(&rule.endpoint.host)) {
        if (prefix->is_single())
            input.targets.push_back({canonical_destination(prefix->base), &rule, id});
        else
            input.networks.emplace_back(&rule, id);
    } else if (const auto* name = std::get_if<DnsName>(&rule.endpoint.host)) {
        for (const auto& address : names.of(*name)) input.targets.push_back({address, &rule, id});
    } else {
        plan.notes.push_back(
            "wildcard: rule " + rule.text() +
            " cannot be resolved ahead and allows nothing; write it under relayed");
    }
}

// A network rule whose every port some deny covers as a whole.
void note_networks(const PlanInput& input, const PrefixPlan& prefixes, DenyNotes& notes) {
    for (const auto& [rule, id] : input.networks) {
        const auto& prefix = std::get<IpPrefix>(rule->endpoint.host);
        for (const auto& range : rule->endpoint.ports.ranges())
            if (const auto deny = prefixes.denied_all(prefix, range))
                notes.add(*rule, id, prefix, *deny);
    }
}

}  // namespace

Result<Plan> plan(const Policy& policy, const Resolution& resolution, RuleIds& ids) {
    Plan out;
    out.rules.reserve(policy.rules.size() + policy.denies.size());
    ids.reserve(policy.rules.size() + policy.denies.size());
    PlanInput input{policy, number_denies(policy, ids, out), {}, {}};
    const std::vector<RuleId> rule_ids = number_rules(policy, ids, out);
    sort_rules(out.rules);
    out.max_rule_id = out.rules.empty() ? 0 : out.rules.back().id.value;
    if (policy.mode == Mode::kOpen) out.flags |= SLUICE_FLAG_OPEN;
    if (!policy.enabled) {
        out.flags |= SLUICE_FLAG_DISABLED;
        return out;
    }
    Names names(policy, resolution, out.notes);
    for (std::size_t i = 0; i < policy.rules.size(); ++i)
        if (policy.rules[i].via == Via::kKernel)
            add_targets(policy.rules[i], rule_ids[i], names, input, out);

    SLUICE_ASSIGN(const PrefixPlan prefixes, PrefixPlan::make(input));
    DenyNotes notes(policy);
    SLUICE_TRY(write_exact(input, prefixes, notes, out));
    note_networks(input, prefixes, notes);
    prefixes.write(out);
    std::ranges::move(notes.take(), std::back_inserter(out.notes));
    return out;
}

}  // namespace sluice
