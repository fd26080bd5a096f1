// The live probe: does the kernel refuse, now, on this very cgroup?
#pragma once

#include <functional>

#include "kernel/enforcer.h"

namespace sluice::kernel {

// Uses port 0, which no rule can allow: the programs count it (PORT_ZERO) and tell nobody. Reads
// the counter around each attempt, so that a refusal by something else does not pass for ours.
Status probe_sockets(const BornSockets& sockets,
                     const std::function<Result<std::uint64_t>()>& refusals);

}  // namespace sluice::kernel
