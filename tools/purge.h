// Removes what dead agents left behind. Needs no kernel code of ours: unlink and rmdir do.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"

namespace sluice::cli {

struct Roots {
    std::filesystem::path run_dir = "/run/sluice";
    std::filesystem::path cgroups;  // CGROUP2/sluice
    std::filesystem::path pins;     // BPFFS/sluice; empty where there is no bpffs
    static Result<Roots> of_host();
};

struct Purged {
    std::vector<std::string> removed;  // what, in words
    std::vector<std::string> running;  // sandboxes of living agents, left alone
    std::vector<std::string> kept;     // leftovers that still confine processes: why
    std::vector<std::string> failed;
    [[nodiscard]] bool clean() const { return kept.empty() && failed.empty(); }
};

// Without `force` nothing that runs is touched. With it, living sandboxes are ended through their
// agents and the processes in leftovers are killed, so that nothing ever runs unconfined.
Purged purge(const Roots& roots, bool force);

nlohmann::json to_json(const Purged& purged);
std::string render_purged(const Purged& purged);

}  // namespace sluice::cli
