#include "agents.h"

#include <algorithm>
#include <system_error>

#include "get.h"
#include "os/cgroup.h"
#include "os/process.h"

namespace sluice::cli {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

struct Found {
    control::AgentSocket agent;
    std::string sandbox;
};
struct Sandboxes {
    std::vector<Found> found;
    json failed = json::array();
};

// An agent that hangs must not hold up the others for long.
constexpr std::chrono::seconds kPatience{10};
constexpr std::chrono::seconds kListing{120};  // of many rules

Result<json> ask(const control::AgentSocket& agent, const std::string& method, const json& params,
                 std::chrono::seconds budget = kPatience) {
    SLUICE_ASSIGN(auto client, control::Client::connect(agent.path));
    return client.call(method, params, {}, budget);
}

// An agent that ends while we ask is no error: it is simply not there any more.
bool gone(const Error& error) {
    return error.code == Errc::kLost || error.code == Errc::kNotFound;
}

json failure(const control::AgentSocket& agent, const Error& error) {
    return {{"agent", agent.name}, {"error", error.message}};
}

Sandboxes sandboxes(const Places& places) {
    Sandboxes out;
    for (const auto& agent : control::find_agents(places.run_dir)) {
        const auto answer = ask(agent, "sandbox.list", json::object());
        if (!answer) {
            if (!gone(answer.error())) out.failed.push_back(failure(agent, answer.error()));
            continue;
        }
        for (const json& one : list(*answer, "sandboxes"))
            if (one.is_object()) out.found.push_back({agent, one.value("name", std::string())});
    }
    return out;
}

Error no_such(const std::string& name) {
    return {Errc::kNotFound, 0, "no running sandbox is called '" + name + "'; see `sluice list`"};
}

// An agent's name is its sandbox's.
void keep_only(json& all, const char* key, const std::string& name) {
    json kept = json::array();
    for (json& one : all)
        if (one.value(key, std::string()) == name) kept.push_back(std::move(one));
    all = std::move(kept);
}

bool has_agent(const std::vector<control::AgentSocket>& agents, const std::string& name) {
    return std::any_of(agents.begin(), agents.end(),
                       [&](const auto& agent) { return agent.name == name; });
}

std::vector<std::string> children(const fs::path& dir) {
    std::vector<std::string> names;
    std::error_code ec;
    if (dir.empty()) return names;
    for (fs::directory_iterator it(dir, ec), end; !ec && it != end; it.increment(ec))
        if (it->is_directory(ec)) names.push_back(it->path().filename());
    std::sort(names.begin(), names.end());
    return names;
}

std::string purge_command() {
    const auto own = os::own_program();
    return "sudo " + (own ? own->string() : "sluice") + " purge --force";
}

}  // namespace

Places Places::of_host() {
    Places places;
    if (const auto cgroup2 = os::find_cgroup2()) places.cgroups = *cgroup2 / "sluice";
    return places;
}

json find_orphans(const Places& places) {
    json out = json::array();
    const auto names = children(places.cgroups);
    // After the cgroups: an agent has its socket before it makes the sandbox.
    const auto agents = control::find_agents(places.run_dir);
    for (const auto& name : names) {
        if (has_agent(agents, name)) continue;
        // And the processes after the agents: one that ended meanwhile took them with it.
        const auto cgroup = os::Cgroup::open(places.cgroups / name);
        const auto processes =
            cgroup ? cgroup->processes() : Result<std::vector<pid_t>>(cgroup.error());
        if (!processes || processes->empty()) continue;
        out.push_back({{"name", name},
                       {"cgroup", (places.cgroups / name).string()},
                       {"processes", processes->size()},
                       {"text", "confined, its agent is gone"},
                       {"remedy", purge_command()}});
    }
    return out;
}

Result<Listings> collect_listings(const std::optional<std::string>& name, const Places& places) {
    auto asked = sandboxes(places);
    Listings out{.sandboxes = json::array(),
                 .orphans = find_orphans(places),
                 .failed = std::move(asked.failed)};
    for (const Found& one : asked.found) {
        if (name && one.sandbox != *name) continue;
        auto listing = ask(one.agent, "egress.list", {{"name", one.sandbox}}, kListing);
        if (listing)
            out.sandboxes.push_back(std::move(*listing));
        else if (!gone(listing.error()))
            out.failed.push_back(failure(one.agent, listing.error()));
    }
    if (!name) return out;
    keep_only(out.orphans, "name", *name);
    keep_only(out.failed, "agent", *name);
    if (out.sandboxes.empty() && out.orphans.empty() && out.failed.empty()) return no_such(*name);
    return out;
}

json collect_status(const Places& places) {
    json out = json::array();
    for (const auto& agent : control::find_agents(places.run_dir)) {
        json entry{{"name", agent.name}, {"path", agent.path.string()}};
        auto status = ask(agent, "status", json::object());
        if (status) {
            entry["status"] = std::move(*status);
        } else {
            entry["error"] = status.error().message;
        }
        out.push_back(std::move(entry));
    }
    return out;
}

Result<json> ask_explain(const std::optional<std::string>& sandbox, const std::string& target,
                         const Places& places) {
    const auto asked = sandboxes(places);
    const Found* chosen = nullptr;
    std::string names;
    for (const Found& one : asked.found) {
        names += (names.empty() ? "" : ", ") + one.sandbox;
        if (!sandbox || one.sandbox == *sandbox) chosen = &one;
    }
    if (chosen == nullptr) {
        for (const json& one : asked.failed)
            if (!sandbox || one["agent"] == *sandbox)
                return Error::failed("agent of run '" + text(one, "agent") +
                                     "': " + text(one, "error"));
    }
    if (sandbox && chosen == nullptr) return no_such(*sandbox);
    if (chosen == nullptr) {
        return Error{Errc::kNotFound, 0,
                     "no sandbox is running; `sluice check FILE` looks at a policy file"};
    }
    if (!sandbox && asked.found.size() > 1) {
        return Error::invalid("several sandboxes are running (" + names +
                              "): name one with --sandbox");
    }
    return ask(chosen->agent, "egress.explain", {{"name", chosen->sandbox}, {"target", target}});
}

}  // namespace sluice::cli
