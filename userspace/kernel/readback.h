// Reading what the kernel holds for one sandbox: counters and denials.
#pragma once

#include "kernel/boxes.h"
#include "kernel/enforcer.h"

namespace sluice::kernel {

Result<Counters> read_counters(int counters_map, CgroupId cgroup);
Result<std::vector<Denial>> read_denials(const Box& box);  // newest first

// CLOCK_MONOTONIC nanoseconds, as the programs record them, on the system clock.
std::chrono::system_clock::time_point from_monotonic(std::uint64_t ns);

}  // namespace sluice::kernel
