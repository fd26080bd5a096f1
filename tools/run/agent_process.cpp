#include "run/agent_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <vector>

#include "base/escape.h"
#include "os/files.h"
#include "os/process.h"
#include "run/environment.h"

namespace sluice::run {
namespace {

constexpr std::size_t kLogLimit = 1U << 20;
constexpr std::chrono::seconds kHelloBudget{60};

// Nothing of the user's environment reaches the privileged process but Sluice's own settings.
Variables agent_environment() {
    Variables variables{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                        "LANG=C.UTF-8"};
    for (const auto& variable : own_environment())
        if (variable.starts_with("SLUICE_") && !variable.starts_with("SLUICE_SANDBOX=") &&
            !variable.starts_with("SLUICE_SOCKET="))
            variables.push_back(variable);
    return variables;
}

struct Stdio {
    int null, log, control;
};

void default_signals() {
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
}

[[noreturn]] void exec_agent(const std::string& program, const std::string& name, Stdio stdio) {
    ::setsid();  // Ctrl-C and a hang-up of the terminal are the command's, not the agent's
    default_signals();
    // The sources are above stderr: the launcher's own stdio is open (see open_stdio()).
    ::dup2(stdio.null, STDIN_FILENO);
    ::dup2(stdio.log, STDOUT_FILENO);
    ::dup2(stdio.log, STDERR_FILENO);
    ::fcntl(stdio.control, F_SETFD, 0);
    if (::chdir("/") != 0) ::_exit(1);
    const std::string control = std::to_string(stdio.control);
    const char* argv[] = {program.c_str(), "--embedded",    name.c_str(),
                          "--control-fd",  control.c_str(), nullptr};
    const Variables variables = agent_environment();
    std::vector<char*> environment;
    for (const auto& variable : variables)
        environment.push_back(const_cast<char*>(variable.c_str()));
    environment.push_back(nullptr);
    ::execve(program.c_str(), const_cast<char**>(argv), environment.data());
    const Error error = Error::from_errno("execute '" + program + "'");
    (void)os::write_fd(STDERR_FILENO, error.message + "\n");
    ::_exit(1);
}

// A started program without stdin, stdout or stderr would get our descriptors in their place.
Status open_stdio() {
    for (;;) {
        const int fd = ::open("/dev/null", O_RDWR);
        if (fd < 0) return Error::from_errno("open '/dev/null'");
        if (fd > STDERR_FILENO) {
            ::close(fd);
            return {};
        }
    }
}

Errc code_of_exit(int status) {
    if (!WIFEXITED(status)) return Errc::kFailed;
    if (WEXITSTATUS(status) == 2) return Errc::kInvalid;
    if (WEXITSTATUS(status) == 3) return Errc::kUnsupported;
    if (WEXITSTATUS(status) == 4) return Errc::kLost;
    return Errc::kFailed;
}

// What it says becomes part of our own "sluice: ..." line.
std::string_view without_prefix(std::string_view line) {
    for (const std::string_view prefix : {"sluiced: ", "error: "})
        if (line.starts_with(prefix)) line.remove_prefix(prefix.size());
    return line;
}

std::string how_it_ended(int status) {
    if (WIFSIGNALED(status)) return "was killed by signal " + std::to_string(WTERMSIG(status));
    return "exited with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Result<std::filesystem::path> find_agent_program() {
    SLUICE_ASSIGN(const auto own, os::own_program());
    const auto dir = own.parent_path();
    const std::array places{dir / "sluiced", dir / "../libexec/sluice/sluiced",
                            dir / "../libexec/sluiced", dir / "../sbin/sluiced"};
    for (const auto& place : places)
        if (::access(place.c_str(), X_OK) == 0) return place;
    return Error::failed("the agent's program 'sluiced' is not beside '" + own.string() +
                         "' nor in ../libexec or ../sbin; install it there");
}

Result<AgentProcess> AgentProcess::start(const std::filesystem::path& program,
                                         const std::string& name) {
    SLUICE_TRY(open_stdio());
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return Error::from_errno("make a socket pair");
    UniqueFd ours(ends[0]);
    UniqueFd agents(ends[1]);
    const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!null) return Error::from_errno("open '/dev/null'");
    // Not a pipe: nobody reads it while the command runs, and the agent may outlive us.
    UniqueFd log(::memfd_create("sluiced-log", MFD_CLOEXEC));
    // Append: both ends share one offset, and log() moves it.
    if (!log || ::fcntl(log.get(), F_SETFL, O_APPEND) != 0)
        return Error::from_errno("make a log file in memory");
    const pid_t pid = ::fork();
    if (pid < 0) return Error::from_errno("fork");
    if (pid == 0) exec_agent(program.string(), name, {null.get(), log.get(), agents.get()});
    agents.reset();  // or we would never see the agent's end of it close
    AgentProcess agent(pid, UniqueFd(), std::move(log), control::Client::adopt(std::move(ours)));
    SLUICE_ASSIGN(agent.pidfd_, os::open_pidfd(pid));
    SLUICE_TRY(agent.hello());
    return agent;
}

AgentProcess::AgentProcess(AgentProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::move(other.pidfd_)),
      log_(std::move(other.log_)),
      client_(std::move(other.client_)),
      status_(other.status_),
      ended_(other.ended_) {}

AgentProcess::~AgentProcess() = default;

Status AgentProcess::hello() {
    const nlohmann::json params{{"protocol", 1}, {"client", "sluice run " SLUICE_VERSION}};
    const auto answer = client_.call("hello", params, {}, kHelloBudget);
    if (answer) return {};
    // Its end of the connection may close a moment before the process is gone.
    if (answer.error().code != Errc::kLost || !wait_end(5000)) return answer.error();
    const std::string said = log();
    return Error{code_of_exit(status_), 0,
                 said.empty() ? "the agent " + how_it_ended(status_) : said};
}

bool AgentProcess::wait_end(int timeout_ms) {
    if (ended_) return true;
    pollfd waited{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
    int ready = 0;
    do ready = ::poll(&waited, 1, timeout_ms);
    while (ready < 0 && errno == EINTR);
    if (ready <= 0) return false;
    ended_ = ::waitpid(pid_, &status_, 0) == pid_ || errno == ECHILD;
    return ended_;
}

bool AgentProcess::running() {
    return !wait_end(0);
}

std::string AgentProcess::log() const {
    if (::lseek(log_.get(), 0, SEEK_SET) < 0) return "";
    const auto text = os::read_fd(log_.get(), kLogLimit);
    if (!text) return "";
    std::string lines;
    for (std::size_t start = 0; start < text->size();) {
        const std::size_t end = std::min(text->find('\n', start), text->size());
        if (end > start) {
            if (!lines.empty()) lines += "\n";
            lines += printable(without_prefix(std::string_view(*text).substr(start, end - start)));
        }
        start = end + 1;
    }
    return lines;
}

bool AgentProcess::finish(std::chrono::milliseconds timeout) {
    client_ = control::Client::adopt(UniqueFd());
    return wait_end(static_cast<int>(timeout.count()));
}

}  // namespace sluice::run
