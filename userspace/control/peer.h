// Who calls, by the kernel's word.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "base/result.h"

namespace sluice::control {

struct Peer {
    pid_t pid = 0;  // 0: not visible from our pid namespace
    uid_t uid = static_cast<uid_t>(-1);
    bool full = false;    // the embedding caller's own connection: may do what uid 0 may
    bool inside = false;  // lies in a sandbox: refused everything

    [[nodiscard]] bool may_all() const { return !inside && (full || uid == 0); }
    // Reads and changes what this uid owns.
    [[nodiscard]] bool may_act_on(uid_t owner) const {
        return !inside && (may_all() || uid == owner);
    }
};

// Where processes are, see os/cgroup.h: passed in.
struct Cgroups {
    std::function<Result<std::string>(pid_t)> of;
    std::string sandboxes;  // every sandbox's path begins with it; ends in '/'
};

// A process that can't be looked up, because it is gone or out of sight, counts as inside: it may
// have left a question behind on purpose.
bool inside_sandbox(pid_t pid, const Cgroups& cgroups);

// SO_PEERCRED of a connected socket.
Result<Peer> peer_of(int socket, const Cgroups& cgroups);

}  // namespace sluice::control
