#include "agents.h"

#include "get.h"

namespace sluice::cli {

using nlohmann::json;

namespace {

struct Found {
    control::AgentSocket agent;
    std::string sandbox;
};

Result<json> ask(const control::AgentSocket& agent, const std::string& method, const json& params) {
    SLUICE_ASSIGN(auto client, control::Client::connect(agent.path));
    return client.call(method, params);
}

// An agent that ends while we ask is no error: it is simply not there any more.
Result<std::vector<Found>> sandboxes() {
    std::vector<Found> found;
    for (const auto& agent : control::find_agents()) {
        auto answer = ask(agent, "sandbox.list", json::object());
        if (!answer && answer.error().code == Errc::kLost) continue;
        if (!answer && answer.error().code == Errc::kNotFound) continue;
        if (!answer) return std::move(answer).error();
        for (const json& one : list(*answer, "sandboxes")) {
            found.push_back({agent, one.value("name", std::string())});
        }
    }
    return found;
}

Error no_such(const std::string& name) {
    return {Errc::kNotFound, 0, "no running sandbox is called '" + name + "'; see `sluice list`"};
}

}  // namespace

Result<json> collect_listings(const std::optional<std::string>& name) {
    SLUICE_ASSIGN(const auto found, sandboxes());
    json out = json::array();
    for (const Found& one : found) {
        if (name && one.sandbox != *name) continue;
        auto listing = ask(one.agent, "egress.list", {{"name", one.sandbox}});
        if (listing) {
            out.push_back(std::move(*listing));
        } else if (listing.error().code != Errc::kLost && listing.error().code != Errc::kNotFound) {
            return std::move(listing).error();
        }
    }
    if (name && out.empty()) return no_such(*name);
    return out;
}

json collect_status() {
    json out = json::array();
    for (const auto& agent : control::find_agents()) {
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

Result<json> ask_explain(const std::optional<std::string>& sandbox, const std::string& target) {
    SLUICE_ASSIGN(const auto found, sandboxes());
    const Found* chosen = nullptr;
    std::string names;
    for (const Found& one : found) {
        names += (names.empty() ? "" : ", ") + one.sandbox;
        if (!sandbox || one.sandbox == *sandbox) chosen = &one;
    }
    if (sandbox && chosen == nullptr) return no_such(*sandbox);
    if (chosen == nullptr) {
        return Error{Errc::kNotFound, 0,
                     "no sandbox is running; `sluice check FILE` looks at a policy file"};
    }
    if (!sandbox && found.size() > 1) {
        return Error::invalid("several sandboxes are running (" + names +
                              "): name one with --sandbox");
    }
    return ask(chosen->agent, "egress.explain", {{"name", chosen->sandbox}, {"target", target}});
}

}  // namespace sluice::cli
