#include "config/grants.h"

#include <algorithm>

#include "config/rules.h"
#include "policy/text.h"

namespace sluice::config {
namespace {

bool is_principal(std::string_view text) {
    for (const std::string_view kind : {"user:", "sandbox:"})
        if (text.starts_with(kind) && text.size() > kind.size()) return true;
    return false;
}

// Wildcards are served by name, so by the gateway; all else by the kernel.
void split_hosts(const std::vector<Text>& hosts, std::vector<Text>& kernel,
                 std::vector<Text>& gateway) {
    for (const auto& host : hosts)
        (host.value.starts_with("*.") ? gateway : kernel).push_back(host);
}

void read_grant(TableReader& grant, const std::vector<std::string>& principals,
                std::vector<Rule>& out) {
    Findings& findings = grant.findings();
    const auto name = grant.required_string("name", "tools");
    bool applies = false;
    for (const auto& text : grant.strings("principals", "user:alice")) {
        if (!is_principal(text.value))
            findings.add(Severity::kError, text.line, text.key,
                         in_quotes(text.value) + " is not a principal",
                         "write it as in user:alice or sandbox:web-*");
        applies = applies || std::ranges::any_of(principals, [&](const std::string& principal) {
                      return matches_principal(text.value, principal);
                  });
    }
    std::vector<Text> kernel, gateway;
    split_hosts(grant.strings("hosts", "example.com:443"), kernel, gateway);
    std::vector<Rule> rules;
    const std::string detail = "grant " + (name ? name->value : std::string("?"));
    read_rules(findings, kernel, Via::kKernel, Layer::kGrant, detail, rules);
    read_rules(findings, gateway, Via::kGateway, Layer::kGrant, detail, rules);
    if (auto secret = grant.table("secret"))
        findings.add(Severity::kNote, secret->line(), grant.path_of("secret"),
                     "parsed and kept; nothing is injected in this version");
    grant.finish();
    if (applies) std::ranges::move(rules, std::back_inserter(out));
}

}  // namespace

bool matches_principal(std::string_view pattern, std::string_view principal) {
    // Greedy with one place to come back to: linear enough for names.
    std::size_t p = 0, t = 0, star = std::string_view::npos, from = 0;
    while (t < principal.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            from = t;
        } else if (p < pattern.size() && pattern[p] == principal[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++from;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

void read_grants(TableReader& root, const std::vector<std::string>& principals,
                 std::vector<Rule>& out) {
    for (auto& grant : root.tables("grant")) read_grant(grant, principals, out);
}

}  // namespace sluice::config
