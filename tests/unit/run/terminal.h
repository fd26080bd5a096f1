// A pseudo terminal with a small job-control shell on it that runs one job.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "base/unique_fd.h"

namespace sluice::test {

// The shell prints "[job PID]", then on each stop "[stopped]", reads a line, and puts the job into
// the foreground again; at its end "[exit N]" or "[signal N]".
class Terminal {
  public:
    // `job` runs in a process group of its own, in the foreground; its result is the exit code.
    explicit Terminal(const std::function<int()>& job);
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;
    ~Terminal();

    void type(const std::string& keys);
    // Reads until `text` appears in what is new since the last match. false: it never came.
    bool shows(const std::string& text);
    [[nodiscard]] const std::string& all() const { return seen_; }
    // The PID of "[job PID]"; -1 when it does not show.
    pid_t job();

  private:
    UniqueFd master_;
    pid_t shell_ = -1;
    std::string seen_;
    std::size_t matched_ = 0;
};

}  // namespace sluice::test
