// Ending a sandbox whose agent has died: its pins still enforce, so nothing is open meanwhile.
#pragma once

#include <string>

#include "base/result.h"

namespace sluice::run {

inline constexpr const char* kRunDirs = "/run/sluice/run";

// SIGTERM to what is left in the sandbox's cgroup, two seconds, SIGKILL; then its pins, cgroup and
// run directory go, in this order: enforcement ends after the last process. Needs root.
Status end_without_agent(const std::string& sandbox);

}  // namespace sluice::run
