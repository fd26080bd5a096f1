// Sockets made by a short-lived child inside a cgroup and handed back, so that their birth cgroup
// is that cgroup's while the caller stays outside.
#pragma once

#include "base/result.h"
#include "base/unique_fd.h"
#include "os/cgroup.h"

namespace sluice::os {

struct SocketsOfCgroup {
    UniqueFd tcp4, udp4;
    UniqueFd tcp6;  // empty where the host has no IPv6 (EAFNOSUPPORT)
};

// Close-on-exec, blocking. Every other failure is an error that names the socket.
Result<SocketsOfCgroup> sockets_born_in(const Cgroup& cgroup);

}  // namespace sluice::os
