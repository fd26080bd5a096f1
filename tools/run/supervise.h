// Waiting for a foreground command as if the shell had started it directly.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace sluice::run {

// While it lives, signals to this process are for the command:
// - from the terminal (Ctrl-C, Ctrl-\, window size): the command, being in our process group, got
//   them too; nothing to do;
// - sent to us by a process outside the sandbox: passed on;
// - stop: not ours to decide. When the command stops we stop, when we are continued it is.
// Start it before the command runs, so that no signal is lost.
class Supervisor {
  public:
    static Result<Supervisor> start();
    Supervisor(Supervisor&&) = default;
    Supervisor& operator=(Supervisor&&) = delete;
    ~Supervisor();  // signals are as before start()

    // The command's wait status once it has ended. `cgroup`: the sandbox's v2 path
    // ("/sluice/NAME"); signals that a process in it sent us (kill 0) reached the command by
    // themselves.
    Result<int> wait(pid_t command, const std::string& cgroup);

  private:
    Supervisor(UniqueFd signals, sigset_t before) : signals_(std::move(signals)), before_(before) {}
    UniqueFd signals_;
    sigset_t before_;
};

// Ends this process by the signal that ended the command: its caller sees no difference. No core of
// ours. Returns only when that signal does not end processes.
void die_by(int signal);

}  // namespace sluice::run
