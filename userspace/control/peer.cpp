#include "control/peer.h"

#include <sys/socket.h>

namespace sluice::control {

bool inside_sandbox(pid_t pid, const Cgroups& cgroups) {
    if (pid <= 0) return true;
    const auto path = cgroups.of(pid);
    return !path || path->starts_with(cgroups.sandboxes);
}

Result<Peer> peer_of(int socket, const Cgroups& cgroups) {
    struct ucred who {};
    socklen_t size = sizeof who;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0) {
        return Error::from_errno("ask who is at the control socket");
    }
    return Peer{.pid = who.pid, .uid = who.uid, .inside = inside_sandbox(who.pid, cgroups)};
}

}  // namespace sluice::control
