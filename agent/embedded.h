// The agent of one `sluice run`.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace sluice::agent {

struct EmbeddedOptions {
    std::string name;
    int control_fd = -1;  // one end of the caller's socketpair; its end of file ends the run
    std::filesystem::path run_dir = "/run/sluice";
    std::filesystem::path policy_dir = "/etc/sluice/policy.d";
    std::filesystem::path preset_dir;
};

// Serves until the run is over; see docs/protocol.md for what ends it.
Status run_embedded(const EmbeddedOptions& options);

}  // namespace sluice::agent
