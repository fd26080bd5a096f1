// Walks below a cgroup directory; Cgroup's helpers.
#pragma once

#include <sys/types.h>

#include <vector>

#include "base/result.h"

namespace sluice::os {

// Appends the processes of the cgroup behind `dir` and of all its children.
Status collect_processes(int dir, std::vector<pid_t>& pids);
// Removes the child cgroups, deepest first. They must be empty of processes.
Status remove_children(int dir);

}  // namespace sluice::os
