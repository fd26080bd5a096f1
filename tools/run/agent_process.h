// The agent of one run, as our child.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "control/client.h"

namespace sluice::run {

// `sluiced` beside this program, or where an installation has it. Never by PATH: it runs as root.
Result<std::filesystem::path> find_agent_program();

// A `sluiced --embedded NAME` in its own session, with a control connection that stands for our
// life: once it closes the agent ends the sandbox, unless that was created with detach.
class AgentProcess {
  public:
    // Started, and it has answered `hello`. When it ends before that, the error is what it said.
    static Result<AgentProcess> start(const std::filesystem::path& program,
                                      const std::string& name);
    AgentProcess(AgentProcess&& other) noexcept;
    AgentProcess& operator=(AgentProcess&&) = delete;
    ~AgentProcess();  // closes the connection; does not wait

    control::Client& client() { return client_; }
    [[nodiscard]] bool running();
    // What it wrote to stderr, for the case that it failed; escaped, without surrounding blanks.
    [[nodiscard]] std::string log() const;
    // Closes the connection and waits for its end. false: still running after `timeout`.
    bool finish(std::chrono::milliseconds timeout);

  private:
    AgentProcess(pid_t pid, UniqueFd pidfd, UniqueFd log, control::Client client)
        : pid_(pid), pidfd_(std::move(pidfd)), log_(std::move(log)), client_(std::move(client)) {}
    Status hello();
    bool wait_end(int timeout_ms);

    pid_t pid_;
    UniqueFd pidfd_, log_;
    control::Client client_;
    int status_ = 0;
    bool ended_ = false;
};

}  // namespace sluice::run
