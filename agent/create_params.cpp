#include "agent/create_params.h"

#include <limits>

#include "agent/tools_param.h"
#include "config/config.h"
#include "os/sealed.h"

namespace sluice::agent {

using control::Type;
using nlohmann::json;

namespace {

Result<std::uint64_t> up_to(const json& params, const char* name, std::uint64_t most) {
    const auto value = params[name].get<std::uint64_t>();
    if (value <= most) return value;
    return Error::invalid("sandbox.create: " + std::string(name) + " is at most " +
                          std::to_string(most));
}

Result<sandbox::Project> project(const json& value, const std::vector<UniqueFd>& fds) {
    for (const auto& [key, member] : value.items()) {
        if ((key == "path" || key == "text") && member.is_string()) continue;
        return Error::invalid("sandbox.create: project is {path, text}, both strings");
    }
    if (!value.contains("path")) return Error::invalid("sandbox.create: project has no path");
    sandbox::Project out{.path = value["path"], .text = {}};
    if (value.contains("text")) {
        out.text = value["text"];
        return out;
    }
    auto text = os::read_sealed(fds[1].get(), config::kMaxPolicyText);
    if (!text) return std::move(text).error().context("sandbox.create: the project's text");
    out.text = std::move(*text);
    return out;
}

Status check_descriptors(const json& params, std::size_t count) {
    const bool beside = params.contains("project") && !params["project"].contains("text");
    if (count == (beside ? 2U : 1U)) return {};
    return Error::invalid("sandbox.create: " +
                          std::string(beside ? "a pidfd and, as the project has no text, a sealed "
                                               "memfd with it come with the message, not "
                                             : "one pidfd comes with the message, not ") +
                          std::to_string(count) + " descriptors");
}

}  // namespace

std::vector<control::Param> create_params() {
    return {{"name", Type::kText},          {"owner", Type::kCount},
            {"pid", Type::kCount},          {"project", Type::kObject, false},
            {"allow", Type::kTexts, false}, {"tools", Type::kObject, false},
            {"detach", Type::kFlag, false}};
}

Result<sandbox::CreateRequest> create_request(const control::Call& call) {
    const json& params = call.params;
    SLUICE_TRY(check_descriptors(params, call.fds.size()));
    sandbox::CreateRequest request;
    request.name = params["name"];
    // The last uid is (uid_t)-1, "no user".
    SLUICE_ASSIGN(const auto owner,
                  up_to(params, "owner", std::numeric_limits<uid_t>::max() - std::uint64_t{1}));
    SLUICE_ASSIGN(const auto pid, up_to(params, "pid", std::numeric_limits<pid_t>::max()));
    request.owner = static_cast<uid_t>(owner);
    request.pid = static_cast<pid_t>(pid);
    request.pidfd = call.fds.front().get();
    request.parent = call.peer.pid;
    if (params.contains("project")) {
        SLUICE_ASSIGN(request.project, project(params["project"], call.fds));
    }
    if (params.contains("tools")) {
        SLUICE_ASSIGN(request.tools, tools_of(params["tools"]));
    }
    if (params.contains("allow")) request.allow = params["allow"].get<std::vector<std::string>>();
    request.detach = params.value("detach", false);
    return request;
}

}  // namespace sluice::agent
