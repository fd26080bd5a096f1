#include "run/run.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>

#include "base/escape.h"
#include "os/cgroup.h"
#include "os/files.h"
#include "os/process.h"
#include "run/exit_report.h"
#include "run/name.h"
#include "run/policy_choice.h"
#include "run/say.h"
#include "run/session.h"
#include "run/supervise.h"
#include "run/tools_param.h"
#include "workspace/tool_files.h"

namespace sluice::run {
namespace {

using Clock = std::chrono::steady_clock;

int fail(const Error& error) {
    say_error(error.message);
    return exit_code(error.code);
}

// Never unenforced: without the privilege nothing runs, and the line to type is there.
int refuse_unprivileged(const RunOptions& options) {
    std::vector<std::string> words{"sudo"};
    const auto own = os::own_program();
    words.push_back(own ? own->string() : "sluice");
    if (options.argv.size() > 1)
        words.insert(words.end(), options.argv.begin() + 1, options.argv.end());
    say("not run: attaching a sandbox needs root, and no system agent serves this user; use\n  " +
        shell_line(words));
    return exit_code(Errc::kUnsupported);
}

// A sandbox made from inside another would not be under the outer one's hooks: it would widen it.
Status refuse_nested() {
    const auto where = os::cgroup_of(::getpid());
    const auto sandboxes = os::sandboxes_path();
    if (!where || !sandboxes || !where->starts_with(*sandboxes)) return {};
    const auto outer = where->substr(sandboxes->size());
    return Error::unsupported("this is already inside sandbox '" +
                              printable(outer.substr(0, outer.find('/'))) +
                              "'; run the command directly, it is under the same policy");
}

Result<std::string> name_of(const RunOptions& options) {
    if (!options.name) return default_name(options.command[0], ::getpid());
    if (valid_name(*options.name)) return *options.name;
    return Error::invalid("--name '" + printable(*options.name) +
                          "': up to 63 of a-z 0-9 . _ - starting with a letter or digit");
}

// Opened before anything runs, so that a wrong path is found then, and with the user's rights.
Result<UniqueFd> open_report(const RunOptions& options, const std::optional<os::Identity>& user) {
    if (!options.report) return UniqueFd();
    std::optional<os::ActingAs> acting;
    if (user) {
        SLUICE_ASSIGN(auto begun, os::ActingAs::begin(*user));
        acting.emplace(std::move(begun));
    }
    // Emptied only when there is something to write: a run that fails changes nothing.
    UniqueFd fd(::open(options.report->c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0644));
    if (fd) return fd;
    Error error = Error::from_errno("--report '" + printable(*options.report) + "'");
    error.code = Errc::kInvalid;
    return error;
}

struct Prepared {
    std::string name;
    std::optional<os::Identity> user;  // the one behind sudo
    PolicyChoice policy;
    nlohmann::json tools;  // as CreateRequest's
    UniqueFd report;
};

Result<Prepared> prepare(const RunOptions& options) {
    if (options.command.empty()) return Error::invalid("no command given; write it after --");
    SLUICE_TRY(refuse_nested());
    Prepared prepared;
    SLUICE_ASSIGN(prepared.name, name_of(options));
    SLUICE_ASSIGN(prepared.user, os::sudo_invoker());
    std::error_code error;
    const auto here = std::filesystem::current_path(error);
    SLUICE_ASSIGN(prepared.policy,
                  choose_policy(options.policy, !options.allow.empty(), here, prepared.user));
    if (prepared.policy.policy) {
        SLUICE_ASSIGN(const auto tools, workspace::tools_of(prepared.user, here));
        prepared.tools = tools_param(tools);
    }
    SLUICE_ASSIGN(prepared.report, open_report(options, prepared.user));
    return prepared;
}

// How the command ended: `status` of waitpid, or why it did not start.
struct Ending {
    int status = 0;
    std::optional<StartFailure> failure;
    Clock::duration duration{};

    [[nodiscard]] int code() const {
        if (failure) return failure->exit_code;
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
};

Result<Ending> supervise(Supervisor& supervisor, WaitingCommand& command, const Session& session) {
    const auto begin = Clock::now();
    Ending ending;
    SLUICE_ASSIGN(ending.failure, command.release(session.release()));
    if (!ending.failure) {
        session.started();
        SLUICE_ASSIGN(ending.status, supervisor.wait(command.pid(), session.cgroup()));
    }
    ending.duration = Clock::now() - begin;
    return ending;
}

void say_all(const RunOptions& options, const std::vector<std::string>& lines) {
    if (options.quiet) return;
    for (const auto& line : lines) say(line);
}

Status write_report(int fd, const nlohmann::json& report) {
    // A pipe or a terminal has no length.
    if (::ftruncate(fd, 0) != 0 && errno != EINVAL) return Error::from_errno("empty it");
    return os::write_fd(fd, many_lines(report));
}

void report(const RunOptions& options, const Prepared& prepared, const Ending& ending,
            const Session& session, const nlohmann::json& list) {
    const auto report = report_json(
        {.sandbox = prepared.name,
         .command = options.command,
         .exit = ending.code(),
         .duration = std::chrono::duration_cast<std::chrono::milliseconds>(ending.duration),
         .warnings = session.warnings(),
         .list = list});
    if (options.json)
        (void)os::write_fd(STDERR_FILENO, one_line(report));
    else
        say_all(options, denial_lines(list));
    if (!prepared.report) return;
    const auto written = write_report(prepared.report.get(), report);
    if (!written) say("--report '" + printable(*options.report) + "': " + written.error().message);
}

CreateRequest request_of(const RunOptions& options, const Prepared& prepared) {
    return {.name = prepared.name,
            .owner = prepared.user ? prepared.user->uid : ::getuid(),
            .policy = prepared.policy.policy,
            .tools = prepared.tools,
            .allow = options.allow,
            .detach = options.detach};
}

Result<Ending> run_in(Session& session, WaitingCommand& command, const RunOptions& options,
                      const Prepared& prepared) {
    say_all(options, session.warnings());
    SLUICE_ASSIGN(Supervisor supervisor, Supervisor::start());
    auto ending = supervise(supervisor, command, session);
    if (ending && ending->failure) say_error(ending->failure->message);
    if (ending) report(options, prepared, *ending, session, session.list());
    if (!session.lives_on()) session.end();
    return ending;
}

Result<Ending> run_with(AgentProcess& agent, const RunOptions& options, const Prepared& prepared) {
    SLUICE_ASSIGN(WaitingCommand command,
                  WaitingCommand::fork(
                      {.argv = options.command,
                       .environment = command_environment(own_environment(), prepared.user,
                                                          environment_before_sudo(), prepared.name),
                       .identity = prepared.user}));
    SLUICE_ASSIGN(Session session, Session::create(agent, request_of(options, prepared), command));
    return run_in(session, command, options, prepared);
}

Result<Ending> run(const RunOptions& options, const Prepared& prepared) {
    SLUICE_ASSIGN(const auto program, find_agent_program());
    SLUICE_ASSIGN(AgentProcess agent, AgentProcess::start(program, prepared.name));
    auto ending = run_with(agent, options, prepared);
    // On an error the sandbox's last process is gone by now; wait until the rest is too.
    if (!ending) (void)agent.finish(std::chrono::seconds(10));
    return ending;
}

}  // namespace

int run_command(const RunOptions& options) {
    if (::geteuid() != 0) return refuse_unprivileged(options);
    auto prepared = prepare(options);
    if (!prepared) return fail(prepared.error());
    say_all(options, prepared->policy.notes);
    const auto ending = run(options, *prepared);
    if (!ending) return fail(ending.error());
    if (!ending->failure && WIFSIGNALED(ending->status)) die_by(WTERMSIG(ending->status));
    return ending->code();
}

}  // namespace sluice::run
