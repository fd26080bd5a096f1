#include "policy/policy.h"

#include <algorithm>
#include <tuple>

namespace sluice {
namespace {

const DnsName kLocalhost{"localhost"};

bool before(const Rule& a, const Rule& b) {
    return std::tie(a.endpoint, a.via) < std::tie(b.endpoint, b.via);
}

// localhost is both loopback addresses, whatever a resolver would say.
void add_expanded(std::vector<Rule>& out, const Rule& rule) {
    if (rule.endpoint.host != Host{kLocalhost} || rule.via != Via::kKernel) {
        out.push_back(rule);
        return;
    }
    for (const auto* loopback : {"127.0.0.1", "::1"}) {
        Rule literal = rule;
        literal.endpoint.host = IpPrefix::host(*IpAddress::parse(loopback));
        for (auto& source : literal.sources)
            source.detail += source.detail.empty() ? "localhost" : ", localhost";
        out.push_back(std::move(literal));
    }
}

// The same rule from two places: both are named, and it lasts as long as the one that lasts longer.
void merge(Rule& into, Rule&& other) {
    std::ranges::move(other.sources, std::back_inserter(into.sources));
    if (into.note.empty()) into.note = std::move(other.note);
    if (!into.expires || !other.expires)
        into.expires.reset();
    else
        into.expires = std::max(*into.expires, *other.expires);
}

void sort_sources(Rule& rule) {
    std::ranges::sort(rule.sources);
    rule.sources.erase(std::unique(rule.sources.begin(), rule.sources.end()), rule.sources.end());
}

std::vector<Rule> unite(std::vector<Rule> rules) {
    std::ranges::stable_sort(rules, before);
    std::vector<Rule> out;
    out.reserve(rules.size());
    for (auto& rule : rules) {
        if (!out.empty() && !before(out.back(), rule))
            merge(out.back(), std::move(rule));
        else
            out.push_back(std::move(rule));
    }
    std::ranges::for_each(out, sort_sources);
    return out;
}

}  // namespace

std::string DenyEntry::text() const {
    return Endpoint{prefix, ports}.to_string();
}

std::vector<DnsName> Policy::kernel_names() const {
    std::vector<DnsName> names;
    for (const auto& rule : rules) {
        const auto* name = std::get_if<DnsName>(&rule.endpoint.host);
        if (name && rule.via == Via::kKernel) names.push_back(*name);
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

Policy join(const std::vector<LayerRules>& layers, Time now) {
    Policy policy;
    policy.denies = builtin_denies();
    std::vector<Rule> rules;
    for (const auto& layer : layers) {
        for (const auto& rule : layer.rules)
            if (!rule.expires || *rule.expires > now) add_expanded(rules, rule);
        std::ranges::copy(layer.denies, std::back_inserter(policy.denies));
    }
    policy.rules = unite(std::move(rules));
    return policy;
}

}  // namespace sluice
