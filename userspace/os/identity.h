// Who a command runs as, and how to become them.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace sluice::os {

struct Identity {
    uid_t uid = 0;
    gid_t gid = 0;
    std::vector<gid_t> groups;  // supplementary, `gid` among them
    std::string user, home, shell;
};

Result<Identity> identity_of(uid_t uid);  // from passwd and group

using Getenv = std::function<std::optional<std::string>(const char*)>;
std::optional<std::string> process_env(const char* name);  // getenv()

// The user who called sudo, from SUDO_UID, SUDO_USER and SUDO_GID as far as passwd and group
// confirm them. nullopt without SUDO_UID, or when root called. Contradictions are an error: never a
// guess.
Result<std::optional<Identity>> sudo_invoker(const Getenv& env = process_env);

// For good: supplementary groups, gid, uid. To be called as root by a process with one thread.
Status become(const Identity& who);

// Effective ids of `who` while it lives (file access as that user); root's own again afterwards.
// Nothing to do for root. Process-wide: for programs with one thread. If the way back fails the
// process aborts, as it would go on with the wrong ids.
class ActingAs {
  public:
    static Result<ActingAs> begin(const Identity& who);
    ActingAs(ActingAs&& other) noexcept;
    ActingAs& operator=(ActingAs&&) = delete;
    ~ActingAs();

  private:
    ActingAs(bool active, gid_t gid, std::vector<gid_t> groups)
        : active_(active), gid_(gid), groups_(std::move(groups)) {}
    bool active_;
    gid_t gid_;
    std::vector<gid_t> groups_;
};

}  // namespace sluice::os
