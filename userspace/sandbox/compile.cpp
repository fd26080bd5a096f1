#include "sandbox/compile.h"

#include <optional>

#include "base/escape.h"
#include "config/config.h"

namespace sluice::sandbox {

namespace {

using config::Problem;
using config::Severity;

Status refuse_errors(const std::vector<Problem>& problems) {
    std::string all;
    for (const Problem& problem : problems) {
        if (problem.severity != Severity::kError) continue;
        all += (all.empty() ? "" : "\n") + problem.to_string();
    }
    if (all.empty()) return {};
    return Error::invalid(std::move(all));
}

}  // namespace

Result<Compiled> compile(const Settings& settings, const CreateRequest& request,
                         const std::string& user, Time now) {
    std::vector<std::string> principals{"sandbox:" + request.name};
    if (!user.empty()) principals.push_back("user:" + user);
    const auto baseline = config::load_baseline(settings.policy_dir, principals);
    SLUICE_ASSIGN(const LayerRules command, config::command_layer(request.allow));

    std::optional<config::ProjectFile> project;
    if (request.project) {
        project = config::parse_project(request.project->text, request.project->path,
                                        settings.preset_dir, request.tools);
    }
    auto joined = config::effective(baseline, project ? &*project : nullptr, command, now);
    SLUICE_TRY(refuse_errors(joined.problems));

    Compiled out;
    for (const Problem& problem : joined.problems) out.warnings.push_back(from_problem(problem));
    if (project) out.required = std::move(project->required);
    out.policy = std::move(joined.policy);
    return out;
}

Status check_required(const std::vector<std::string>& required) {
    if (required.empty()) return {};
    const std::string& one = required.front();
    const std::string why = one == "lsm" ? kNoLsm : "this version knows no such protection";
    return Error::unsupported("the policy has required = [\"" + printable(one) + "\"]: " + why +
                              "; take it out of `required` to run without it");
}

}  // namespace sluice::sandbox
