#include "control/peer.h"

#include <sys/socket.h>

namespace sluice::control {

bool inside_sandbox(pid_t pid, const CgroupOf& cgroup_of) {
    if (pid <= 0) return true;
    const auto path = cgroup_of(pid);
    return !path || path->starts_with(kSandboxRoot);
}

Result<Peer> peer_of(int socket, const CgroupOf& cgroup_of) {
    struct ucred who {};
    socklen_t size = sizeof who;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) {
        return Error::from_errno("ask who is at the control socket");
    }
    return Peer{.pid = who.pid, .uid = who.uid, .inside = inside_sandbox(who.pid, cgroup_of)};
}

}  // namespace sluice::control
