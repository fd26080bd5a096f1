#include <algorithm>
#include <ctime>

#include "config/config.h"

namespace sluice::config {
namespace {

std::string date_of(Time time) {
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    std::tm utc{};
    gmtime_r(&seconds, &utc);
    char buffer[32];
    std::strftime(buffer, sizeof buffer, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return buffer;
}

void warn_expired(const LayerRules& layer, Time now, std::vector<Problem>& out) {
    for (const auto& rule : layer.rules) {
        if (!rule.expires || *rule.expires > now) continue;
        const Source& from = rule.sources.front();
        out.push_back({Severity::kWarning, from.file, from.line, "",
                       "rule " + rule.text() + " expired on " + date_of(*rule.expires) +
                           " and allows nothing",
                       "remove it, or write a later date"});
    }
}

void add_project(const ProjectFile& project, Policy& policy) {
    policy.enabled = project.enabled;
    policy.allow_private = project.allow_private;
    policy.retain = project.retain;
    policy.learned_addresses = project.learned_addresses;
    policy.required = project.required;
}

}  // namespace

Effective effective(const Baseline& baseline, const ProjectFile* project, const LayerRules& command,
                    Time now) {
    Effective out;
    out.problems = baseline.problems;
    std::vector<LayerRules> layers{baseline.baseline, baseline.grants};
    const bool usable = project && project->usable();
    if (project) std::ranges::copy(project->problems, std::back_inserter(out.problems));
    if (usable) layers.push_back(project->layer);
    layers.push_back(command);
    for (const auto& layer : layers) warn_expired(layer, now, out.problems);
    out.policy = join(layers, now);
    out.policy.mode = baseline.mode;
    if (usable) add_project(*project, out.policy);
    return out;
}

}  // namespace sluice::config
