// Descriptors that the caller left open, and that would carry the command past the sandbox's hooks.
#pragma once

#include "base/result.h"

namespace sluice::run {

// Marks close-on-exec, above stderr, all that can reach the network or another process without a
// connect: sockets, and the kernel's nameless objects (io_uring, bpf, pidfd, epoll, eventfd). Pipes
// and files stay: make's jobserver and a shell's <(...) need them. To be called while this process
// may still read its own /proc, that is before it becomes another user.
Status withhold_inherited();

}  // namespace sluice::run
