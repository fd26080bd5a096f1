#include <algorithm>
#include <system_error>

#include "control/client.h"

namespace sluice::control {

namespace {

void add_if_alive(std::vector<AgentSocket>& found, std::string name,
                  const std::filesystem::path& socket) {
    // A listener that is there but refuses us for a reason of its own is alive.
    auto client = Client::connect(socket);
    if (client || client.error().code == Errc::kDenied) found.push_back({std::move(name), socket});
}

}  // namespace

std::vector<AgentSocket> find_agents(const std::filesystem::path& run_dir) {
    std::vector<AgentSocket> found;
    add_if_alive(found, "", run_dir / "agent.sock");
    std::error_code ec;
    std::vector<std::string> names;
    std::filesystem::directory_iterator entry(run_dir / "run", ec);
    for (; !ec && entry != std::filesystem::directory_iterator(); entry.increment(ec)) {
        names.push_back(entry->path().filename());
    }
    std::sort(names.begin(), names.end());
    for (const auto& name : names) add_if_alive(found, name, run_dir / "run" / name / "agent.sock");
    return found;
}

}  // namespace sluice::control
