// Asks every running agent.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "control/client.h"

namespace sluice::cli {

struct Places {
    std::filesystem::path run_dir = "/run/sluice";
    std::filesystem::path cgroups;  // CGROUP2/sluice; empty where there is no cgroup v2
    static Places of_host();
};

struct Listings {
    nlohmann::json sandboxes;  // [egress.list]
    nlohmann::json orphans;    // see find_orphans()
    nlohmann::json failed;     // [{agent, error}]: agents that live and don't answer as they should
};
// Every sandbox the caller may see, or the one named (kNotFound when nobody has it).
Result<Listings> collect_listings(const std::optional<std::string>& name, const Places& places);
// [{name, path, status}] or {.., error} for an agent that does not answer.
nlohmann::json collect_status(const Places& places);
// Sandboxes with processes in them whose agent is gone: [{name, cgroup, processes, text, remedy}].
nlohmann::json find_orphans(const Places& places);
// `sandbox` may be absent where there is exactly one.
Result<nlohmann::json> ask_explain(const std::optional<std::string>& sandbox,
                                   const std::string& target, const Places& places);

}  // namespace sluice::cli
