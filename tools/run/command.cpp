#include "run/command.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/escape.h"
#include "os/files.h"
#include "os/process.h"
#include "run/inherited.h"

namespace sluice::run {
namespace {

using nlohmann::json;
constexpr std::size_t kLimit = 64U << 20;

struct Pipe {
    UniqueFd read, write;
};

Result<Pipe> make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Error::from_errno("make a pipe");
    return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// One JSON text; a torn one (the parent died while writing) does not parse.
std::string encode(const Release& release) {
    json binds = json::array();
    for (const auto& bind : release.binds) binds.push_back({bind.source, bind.target});
    return json{{"environment", release.environment}, {"binds", binds}}.dump(
        -1, ' ', false, json::error_handler_t::replace);
}

std::optional<Release> decode(const std::string& text) {
    const json parsed = json::parse(text, nullptr, false);
    if (!parsed.is_object()) return std::nullopt;
    Release release;
    for (const auto& variable : parsed["environment"])
        release.environment.push_back(variable.get<std::string>());
    for (const auto& bind : parsed["binds"])
        release.binds.push_back(
            {.source = bind[0].get<std::string>(), .target = bind[1].get<std::string>()});
    return release;
}

// ---- in the child ----

[[noreturn]] void fail(int outcome, int exit_code, const std::string& message) {
    (void)os::write_fd(outcome, json{{"exit_code", exit_code}, {"message", message}}.dump(
                                    -1, ' ', false, json::error_handler_t::replace));
    ::_exit(exit_code);
}

void set_up(const CommandSpec& spec, const Release& release, int outcome) {
    auto done = enter_private_mounts(release.binds);
    if (!done)
        fail(outcome, 3,
             "cannot give the sandbox its own /etc/hosts: " + done.error().message +
                 "; mounting needs CAP_SYS_ADMIN (in a container: run it with --cap-add SYS_ADMIN "
                 "and no filter against mount)");
    done = withhold_inherited();
    if (!done) fail(outcome, 3, done.error().message);
    if (!spec.identity) return;
    done = os::become(*spec.identity);
    if (!done) fail(outcome, 3, done.error().message);
    // A setuid program (sudo without a password) would be root again, and root leaves its cgroup.
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        fail(outcome, 3, Error::from_errno("give up setuid programs").message);
}

[[noreturn]] void execute(const CommandSpec& spec, const Variables& variables, int outcome) {
    std::vector<char*> argv, environment;
    for (const auto& word : spec.argv) argv.push_back(const_cast<char*>(word.c_str()));
    for (const auto& variable : variables)
        environment.push_back(const_cast<char*>(variable.c_str()));
    argv.push_back(nullptr);
    environment.push_back(nullptr);
    // execvp() takes PATH from here: the command's PATH, not ours.
    environ = environment.data();
    ::execvp(argv[0], argv.data());
    const int saved = errno;
    fail(outcome, saved == ENOENT ? 127 : 126,
         "'" + printable(spec.argv[0]) + "': " + std::generic_category().message(saved));
}

[[noreturn]] void child_main(const CommandSpec& spec, int go, int outcome) {
    const auto text = os::read_fd(go, kLimit);
    const auto release = text ? decode(*text) : std::nullopt;
    if (!release) ::_exit(125);  // never released
    Variables variables = spec.environment;
    for (const auto& variable : release->environment) {
        const auto equals = variable.find('=');
        if (equals != std::string::npos)
            set(variables, variable.substr(0, equals), variable.substr(equals + 1));
    }
    set_up(spec, *release, outcome);
    execute(spec, variables, outcome);
}

int reap(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}

}  // namespace

Result<WaitingCommand> WaitingCommand::fork(const CommandSpec& spec) {
    if (spec.argv.empty()) return Error::invalid("no command given");
    SLUICE_ASSIGN(Pipe go, make_pipe());
    SLUICE_ASSIGN(Pipe outcome, make_pipe());
    const pid_t pid = ::fork();
    if (pid < 0) return Error::from_errno("fork");
    if (pid == 0) {
        go.write.reset();
        outcome.read.reset();
        child_main(spec, go.read.get(), outcome.write.get());
    }
    WaitingCommand command(pid, UniqueFd(), std::move(go.write), std::move(outcome.read));
    // Not reaped yet, so the pid can't have been used again.
    SLUICE_ASSIGN(command.pidfd_, os::open_pidfd(pid));
    return command;
}

WaitingCommand::WaitingCommand(WaitingCommand&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::move(other.pidfd_)),
      go_(std::move(other.go_)),
      outcome_(std::move(other.outcome_)) {}

WaitingCommand::~WaitingCommand() {
    if (pid_ <= 0 || !go_) return;
    go_.reset();
    // Stopped or frozen it would not see that.
    ::kill(pid_, SIGKILL);
    reap(pid_);
}

Result<std::optional<StartFailure>> WaitingCommand::release(const Release& release) {
    // A child that died meanwhile gives EPIPE, not SIGPIPE.
    struct sigaction ignore {
    }, before{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &before);
    const auto sent = os::write_fd(go_.get(), encode(release));
    ::sigaction(SIGPIPE, &before, nullptr);
    if (!sent) return sent.error();
    go_.reset();
    // End of file: the exec closed the other end, or the child is dead; waiting for it tells which.
    SLUICE_ASSIGN(const std::string text, os::read_fd(outcome_.get(), kLimit));
    if (text.empty()) return std::optional<StartFailure>();
    reap(pid_);
    const json parsed = json::parse(text, nullptr, false);
    if (!parsed.is_object()) return Error::failed("the command's process died while starting");
    return std::optional(StartFailure{.exit_code = parsed.value("exit_code", 3),
                                      .message = parsed.value("message", std::string())});
}

}  // namespace sluice::run
