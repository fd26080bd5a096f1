#include "agent/create_params.h"

#include <limits>

#include "agent/tools_param.h"

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

Result<sandbox::Project> project(const json& value) {
    for (const auto& [key, member] : value.items()) {
        if ((key == "path" || key == "text") && member.is_string()) continue;
        return Error::invalid("sandbox.create: project is {path, text}, both strings");
    }
    if (value.size() != 2) {
        return Error::invalid("sandbox.create: project is {path, text}, both strings");
    }
    return sandbox::Project{.path = value["path"], .text = value["text"]};
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
    if (call.fds.size() != 1) {
        return Error::invalid("sandbox.create: one pidfd comes with the message, not " +
                              std::to_string(call.fds.size()) + " descriptors");
    }
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
        SLUICE_ASSIGN(request.project, project(params["project"]));
    }
    if (params.contains("tools")) {
        SLUICE_ASSIGN(request.tools, tools_of(params["tools"]));
    }
    if (params.contains("allow")) request.allow = params["allow"].get<std::vector<std::string>>();
    request.detach = params.value("detach", false);
    return request;
}

}  // namespace sluice::agent
