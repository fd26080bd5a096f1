// A child process that does nothing until it is killed, for tests that need one.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace sluice::test {

class PausedChild {
  public:
    PausedChild() : pid_(::fork()) {
        while (pid_ == 0) ::pause();
    }
    explicit PausedChild(pid_t pid) : pid_(pid) {}
    PausedChild(const PausedChild&) = delete;
    PausedChild& operator=(const PausedChild&) = delete;
    ~PausedChild() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        reap();
    }
    [[nodiscard]] pid_t pid() const { return pid_; }
    int reap() {
        int status = 0;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
        pid_ = -1;
        return status;
    }

  private:
    pid_t pid_;
};

}  // namespace sluice::test
