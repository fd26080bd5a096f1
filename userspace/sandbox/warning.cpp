#include "sandbox/warning.h"

#include <algorithm>
#include <utility>

namespace sluice::sandbox {

namespace {

// "code: rest" where code is [a-z_]+; else an empty code and the whole text.
std::pair<std::string, std::string> split_code(const std::string& text) {
    const auto colon = text.find(": ");
    if (colon == std::string::npos || colon == 0) return {{}, text};
    const bool code = std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon),
                                  [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
    if (!code) return {{}, text};
    return {text.substr(0, colon), text.substr(colon + 2)};
}

std::string rules_of(const Policy& policy, const DnsName& name) {
    std::string texts;
    for (const Rule& rule : policy.rules) {
        const auto* host = std::get_if<DnsName>(&rule.endpoint.host);
        if (rule.via != Via::kKernel || host == nullptr || *host != name) continue;
        texts += (texts.empty() ? "" : ", ") + rule.text();
    }
    return texts;
}

}  // namespace

Warning from_plan_note(const std::string& note) {
    auto [code, text] = split_code(note);
    if (code.empty()) return {.code = "note", .severity = "note", .text = std::move(text)};
    return {.code = std::move(code), .text = std::move(text)};
}

Warning from_problem(const config::Problem& problem) {
    const bool expired =
        problem.text.starts_with("rule ") && problem.text.find(" expired on ") != std::string::npos;
    const bool hosts = problem.severity == config::Severity::kNote &&
                       problem.text.starts_with("preset ") &&
                       problem.text.find(" takes ") != std::string::npos;
    std::string text = problem.file;
    if (problem.line != 0) text += ":" + std::to_string(problem.line);
    if (!problem.key.empty()) text += ": " + problem.key;
    text += (text.empty() ? "" : ": ") + problem.text;
    return {.code = expired ? "expired_rule"
                    : hosts ? "preset_hosts"
                            : "policy_file_note",
            .severity = problem.severity == config::Severity::kNote ? "note" : "warning",
            .text = std::move(text),
            .remedy = problem.remedy};
}

std::vector<Warning> unresolved(const Policy& policy, const Resolution& resolution) {
    std::vector<Warning> out;
    for (const DnsName& name : policy.kernel_names()) {
        const auto found = resolution.names.find(name.text);
        if (found != resolution.names.end() && !found->second.addresses.empty()) continue;
        const std::string why = found == resolution.names.end() || found->second.error.empty()
                                    ? "no answer"
                                    : found->second.error;
        out.push_back(
            {.code = "unresolved",
             .text = "'" + name.text + "' did not resolve (" + why + "): its rules allow nothing",
             .rule = rules_of(policy, name),
             .remedy = "check the name and the host's resolver; a new run resolves it "
                       "again"});
    }
    return out;
}

Warning degraded(const std::string& missing) {
    return {.code = "degraded_kernel",
            .severity = missing.starts_with("lsm: ") ? "note" : "warning",
            .text = missing};
}

nlohmann::json to_json(const std::vector<Warning>& warnings) {
    auto out = nlohmann::json::array();
    for (const Warning& warning : warnings) {
        out.push_back({{"code", warning.code},
                       {"severity", warning.severity},
                       {"text", warning.text},
                       {"rule", warning.rule},
                       {"remedy", warning.remedy}});
    }
    return out;
}

nlohmann::json degraded_json(const std::vector<std::string>& missing) {
    auto out = nlohmann::json::array();
    for (const auto& one : missing) {
        auto [code, text] = split_code(one);
        out.push_back({{"code", code.empty() ? "host" : code}, {"text", text}});
    }
    return out;
}

}  // namespace sluice::sandbox
