// The sandboxed command's process: forked first, released once the sandbox is active.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "os/identity.h"
#include "run/environment.h"
#include "run/mounts.h"

namespace sluice::run {

struct CommandSpec {
    std::vector<std::string> argv;
    Variables environment;
    std::optional<os::Identity> identity;  // absent: as we are
};

// What only the create's answer tells.
struct Release {
    Variables environment;  // added to, or replacing, CommandSpec's
    std::vector<Bind> binds;
};

// Why the command did not start.
struct StartFailure {
    int exit_code = 0;  // 126, 127: not executable, not found; 3: its surroundings can't be set up
    std::string message;
};

// A child that waits, in our process group and with our signal settings. Dropped before its release
// it never executes anything: it ends when it sees its pipe closed, and is reaped here.
class WaitingCommand {
  public:
    static Result<WaitingCommand> fork(const CommandSpec& spec);
    WaitingCommand(WaitingCommand&& other) noexcept;
    WaitingCommand& operator=(WaitingCommand&&) = delete;
    ~WaitingCommand();

    [[nodiscard]] pid_t pid() const { return pid_; }
    [[nodiscard]] int pidfd() const { return pidfd_.get(); }

    // Lets it go and waits for the exec, or for what went wrong before it. After success the
    // process is the caller's to wait for.
    Result<std::optional<StartFailure>> release(const Release& release);

  private:
    WaitingCommand(pid_t pid, UniqueFd pidfd, UniqueFd go, UniqueFd outcome)
        : pid_(pid), pidfd_(std::move(pidfd)), go_(std::move(go)), outcome_(std::move(outcome)) {}
    pid_t pid_;
    UniqueFd pidfd_, go_, outcome_;
};

}  // namespace sluice::run
