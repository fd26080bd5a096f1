// Caller's side of the control socket: JSON-RPC 2.0, one message a line, blocking.
#pragma once

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace sluice::control {

class Client {
  public:
    static Result<Client> connect(const std::filesystem::path& socket);
    static Client adopt(UniqueFd connected);  // one end of a socketpair

    // Calls and waits for the answer. `fds` travel with the message (SCM_RIGHTS) and stay the
    // caller's. An error answer comes back as Error with the agent's message and hint; kLost when
    // the agent went away.
    Result<nlohmann::json> call(const std::string& method, const nlohmann::json& params,
                                std::span<const int> fds = {},
                                std::chrono::milliseconds budget = std::chrono::seconds(60));
    [[nodiscard]] int fd() const { return socket_.get(); }

  private:
    explicit Client(UniqueFd socket) : socket_(std::move(socket)) {}
    UniqueFd socket_;
    std::string unread_;
    std::int64_t next_id_ = 1;
};

// The control sockets there are: the system agent's and every embedded run's, by name. Dead ones
// (nobody listening) are left out.
struct AgentSocket {
    std::string name;  // "" for the system agent, else the run's name
    std::filesystem::path path;
};
std::vector<AgentSocket> find_agents(const std::filesystem::path& run_dir = "/run/sluice");

}  // namespace sluice::control
