#include "check.h"

#include <algorithm>

#include "base/escape.h"
#include "os/files.h"
#include "os/identity.h"
#include "presets.h"
#include "workspace/tool_files.h"

namespace sluice::cli {

using nlohmann::json;

namespace {

std::string_view name_of(config::Severity severity) {
    switch (severity) {
        case config::Severity::kError:
            return "error";
        case config::Severity::kWarning:
            return "warning";
        case config::Severity::kNote:
            return "note";
    }
    return "error";
}

}  // namespace

Result<config::CheckReport> check_file(const std::string& file) {
    SLUICE_ASSIGN(const std::string text, os::read_file(file, config::kMaxPolicyText));
    const auto baseline = config::load_baseline("/etc/sluice/policy.d", {});
    SLUICE_ASSIGN(const auto user, os::sudo_invoker());
    std::error_code ignored;
    SLUICE_ASSIGN(const auto tools,
                  workspace::tools_of(user, std::filesystem::current_path(ignored)));
    return config::check(text, file, baseline, preset_dir(), tools,
                         std::chrono::system_clock::now());
}

json to_json(const config::CheckReport& report) {
    json problems = json::array();
    for (const auto& one : report.problems) {
        problems.push_back({{"severity", name_of(one.severity)},
                            {"file", one.file},
                            {"line", one.line},
                            {"key", one.key},
                            {"text", one.text},
                            {"remedy", one.remedy}});
    }
    return {{"ok", report.ok()},
            {"problems", std::move(problems)},
            {"rules", report.policy.rules.size()},
            {"names", report.names}};
}

std::string render_check(const config::CheckReport& report, const std::string& file,
                         const Style& style) {
    std::string out;
    for (const auto& one : report.problems) {
        std::string line = printable(one.to_string());
        if (one.severity == config::Severity::kError) line = style.bad(line);
        out += line + "\n";
    }
    const auto errors =
        std::count_if(report.problems.begin(), report.problems.end(),
                      [](const auto& one) { return one.severity == config::Severity::kError; });
    if (errors != 0) {
        return out + printable(file) + ": " +
               counted(static_cast<std::uint64_t>(errors), "error", "errors") + "\n";
    }
    out += printable(file) + ": fine, " + counted(report.policy.rules.size(), "rule", "rules");
    if (!report.names.empty()) {
        out += "; " + counted(report.names.size(), "name is", "names are") +
               " resolved when a sandbox is created";
    }
    return out + "\n";
}

}  // namespace sluice::cli
