// One run's sandbox, as its agent sees it: created around a waiting command, ended after it.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "run/agent_process.h"
#include "run/command.h"
#include "run/policy_choice.h"
#include "run/private_etc.h"

namespace sluice::run {

struct CreateRequest {
    std::string name;
    uid_t owner = 0;
    std::optional<PolicyText> policy;  // the project's
    nlohmann::json tools;              // null, or what tools_param() makes
    std::vector<std::string> allow;
    bool detach = false;
};

class Session {
  public:
    // Asks for the sandbox, with the command in it, and writes its private /etc files. On an error
    // there is no sandbox. `agent` must outlive the session.
    static Result<Session> create(AgentProcess& agent, const CreateRequest& request,
                                  const WaitingCommand& command);

    [[nodiscard]] const Release& release() const { return release_; }
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
    // The v2 path ("/sluice/NAME"), as /proc/PID/cgroup shows it.
    [[nodiscard]] const std::string& cgroup() const { return cgroup_; }

    // To be told once the command executes: its mounts hold the private /etc files from there on,
    // so their names go, and nothing is left if we are killed.
    void started() const;

    // egress.list's answer; null when the agent is gone (said once on stderr).
    nlohmann::json list();
    // With detach: true, and said, when something still runs in the sandbox; it then lives on.
    bool lives_on();
    // Ends the sandbox: SIGTERM, two seconds, SIGKILL, by the agent or, when that died, by
    // ourselves. Failures are said.
    void end();

  private:
    Session(AgentProcess& agent, CreateRequest request)
        : agent_(&agent), request_(std::move(request)) {}
    Status take_answer(const nlohmann::json& answer, pid_t command);
    bool agent_gone(const Error& error);
    [[nodiscard]] bool populated() const;
    [[nodiscard]] std::string run_dir() const;

    AgentProcess* agent_;
    CreateRequest request_;
    Release release_;
    std::vector<std::string> warnings_;
    std::string cgroup_;
    std::filesystem::path cgroup_dir_;
    bool gone_ = false;
};

}  // namespace sluice::run
