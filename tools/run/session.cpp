#include "run/session.h"

#include "os/cgroup.h"
#include "os/sealed.h"
#include "run/progress.h"
#include "run/say.h"
#include "run/warning_lines.h"
#include "run/without_agent.h"

namespace sluice::run {
namespace {

using nlohmann::json;

constexpr int kGraceMs = 2000;
// Resolving the policy's names takes as long as slow resolvers do.
constexpr std::chrono::seconds kCreateBudget{600};
constexpr std::chrono::seconds kEndBudget{60};

json params_of(const CreateRequest& request, pid_t pid) {
    json params{{"name", request.name},
                {"owner", request.owner},
                {"pid", pid},
                {"allow", request.allow},
                {"detach", request.detach}};
    // Its text goes beside the message, which is limited.
    if (request.policy) params["project"] = {{"path", request.policy->path}};
    if (!request.tools.is_null()) params["tools"] = request.tools;
    return params;
}

}  // namespace

Result<Session> Session::create(AgentProcess& agent, const CreateRequest& request,
                                const WaitingCommand& command) {
    Session session(agent, request);
    std::vector<int> fds{command.pidfd()};
    UniqueFd policy;
    if (request.policy) {
        SLUICE_ASSIGN(policy, os::make_sealed("sluice-policy", request.policy->text));
        fds.push_back(policy.get());
    }
    SLUICE_ASSIGN(const json answer,
                  agent.client().call("sandbox.create", params_of(request, command.pid()), fds,
                                      kCreateBudget));
    auto taken = session.take_answer(answer, command.pid());
    if (taken) return session;
    // The sandbox stands already; a detached one would outlive the connection.
    session.end();
    return taken.error();
}

Status Session::take_answer(const json& answer, pid_t command) {
    if (!answer.is_object()) return Error::failed("the agent's answer to sandbox.create is empty");
    SLUICE_ASSIGN(cgroup_, os::cgroup_of(command));
    SLUICE_ASSIGN(const auto cgroup2, os::find_cgroup2());
    cgroup_dir_ = cgroup2 / "sluice" / request_.name;
    SLUICE_ASSIGN(const auto hosts, parse_hosts(answer.value("hosts", json::array())));
    // What no rule names must resolve as on the host, or "all but denies is allowed" would be
    // untrue.
    const bool open = answer.value("mode", json()) == "open";
    auto etc = write_private_etc(run_dir(), {.pinned = hosts, .own_dns = !open});
    if (!etc) {
        Error error = std::move(etc).error().context("write the sandbox's own /etc files");
        error.code = Errc::kUnsupported;
        error.message += "; '/run/sluice' must be root's, and writable";
        return error;
    }
    release_.binds = std::move(etc->binds);
    if (open)
        warnings_.emplace_back(
            "this host's mode is \"open\" (audit): all is allowed, and recorded, but what a deny "
            "covers");
    for (auto& line : warning_lines(answer.value("warnings", json())))
        warnings_.push_back(std::move(line));
    warnings_.insert(warnings_.end(), etc->warnings.begin(), etc->warnings.end());
    const json environment = answer.value("env", json::object());
    for (const auto& [name, value] : environment.items())
        if (value.is_string())
            release_.environment.push_back(name + "=" + value.get<std::string>());
    return {};
}

std::string Session::run_dir() const {
    return std::string(kRunDirs) + "/" + request_.name;
}

void Session::started() const {
    if (const auto removed = remove_private_etc(run_dir()); !removed) say(removed.error().message);
}

bool Session::agent_gone(const Error& error) {
    if (error.code != Errc::kLost) return false;
    if (!gone_) {
        say("the agent of sandbox '" + request_.name +
            "' died; its pinned programs kept enforcing, what they refused is not known");
        if (const std::string log = agent_->log(); !log.empty())
            say("the agent's last words: " + log);
    }
    gone_ = true;
    return true;
}

json Session::list() {
    auto answer = agent_->client().call("egress.list", {{"name", request_.name}});
    if (answer) return *answer;
    if (!agent_gone(answer.error()))
        say_error("cannot list what was refused: " + answer.error().message);
    return nullptr;
}

bool Session::populated() const {
    const auto cgroup = os::Cgroup::open(cgroup_dir_);
    if (!cgroup) return false;
    return cgroup->populated().value_or(false);
}

bool Session::lives_on() {
    if (!request_.detach || !populated()) return false;
    say("sandbox '" + request_.name + "' lives on with what the command left running" +
        (gone_ ? "; its agent is gone, so it stays confined but nothing will clean up: to end it, "
                 "write 1 to '" +
                     cgroup_dir_.string() + "/cgroup.kill'"
               : ", until that ends"));
    return true;
}

void Session::end() {
    (void)remove_private_etc(run_dir());  // what a failed start left; the directory must be empty
    const bool waits = populated();
    const Progress progress(waits ? "waiting for processes that the command left running; they get "
                                    "SIGTERM, and SIGKILL after 2 s"
                                  : "");
    if (!gone_) {
        const auto answer = agent_->client().call(
            "sandbox.remove", {{"name", request_.name}, {"grace_ms", kGraceMs}}, {}, kEndBudget);
        if (!answer && !agent_gone(answer.error()))
            say_error("cannot end sandbox '" + request_.name + "': " + answer.error().message);
        // It takes its run directory and pins away before it exits.
        if (answer && !agent_->finish(std::chrono::seconds(10)))
            say("the agent of sandbox '" + request_.name + "' does not end");
    }
    if (!gone_) return;
    if (const auto ended = end_without_agent(request_.name); !ended)
        say("cannot clean up after the agent: " + ended.error().message);
}

}  // namespace sluice::run
