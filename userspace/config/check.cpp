#include "config/config.h"
#include "policy/plan.h"

namespace sluice::config {
namespace {

// Limits and denies show in the plan; without addresses only the literals are in it.
void add_plan(std::string_view file, CheckReport& out) {
    RuleIds ids;
    const auto planned = plan(out.policy, {}, ids);
    const auto add = [&](Severity severity, const std::string& text) {
        out.problems.push_back({severity, std::string(file), 0, "", text, ""});
    };
    if (!planned) return add(Severity::kError, planned.error().message);
    for (const auto& note : planned->notes) add(Severity::kWarning, note);
    out.entries = static_cast<std::uint32_t>(planned->exact.size() + planned->prefixes.size());
}

}  // namespace

CheckReport check(std::string_view text, std::string_view file, const Baseline& baseline,
                  const std::filesystem::path& preset_dir, const ToolConfig& tools, Time now) {
    const ProjectFile project = parse_project(text, file, preset_dir, tools);
    Effective joined = effective(baseline, &project, {}, now);
    CheckReport out{std::move(joined.policy), std::move(joined.problems), {}, 0};
    for (const auto& name : out.policy.kernel_names()) out.names.push_back(name.text);
    add_plan(file, out);
    return out;
}

}  // namespace sluice::config
