#include "run/supervise.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>

#include "os/cgroup.h"

namespace sluice::run {
namespace {

constexpr std::array kPassedOn{SIGINT,  SIGQUIT, SIGTERM, SIGHUP,
                               SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH};
// Seen, or kept from ending or stopping us, but not passed on. SIGPIPE is about our own stderr;
// with TTOU blocked we can write to the terminal while in the background.
constexpr std::array kKept{SIGTSTP, SIGTTIN, SIGTTOU, SIGPIPE, SIGCHLD};

sigset_t watched() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : kPassedOn) ::sigaddset(&set, signal);
    for (const int signal : kKept) ::sigaddset(&set, signal);
    return set;
}

bool passed_on(int signal) {
    return std::find(kPassedOn.begin(), kPassedOn.end(), signal) != kPassedOn.end();
}

bool is_stop(int signal) {
    return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

bool inside(pid_t sender, const std::string& cgroup) {
    if (cgroup.empty()) return false;
    const auto where = os::cgroup_of(sender);
    return where && (*where == cgroup || where->starts_with(cgroup + "/"));
}

// The kernel's own (terminal keys, hang-up, window size) go to the whole foreground group.
bool for_command(const signalfd_siginfo& info, const std::string& cgroup) {
    const bool by_process =
        info.ssi_code == SI_USER || info.ssi_code == SI_QUEUE || info.ssi_code == SI_TKILL;
    if (!by_process || !passed_on(static_cast<int>(info.ssi_signo))) return false;
    return !inside(static_cast<pid_t>(info.ssi_pid), cgroup);
}

// Stops this process the way the command was stopped. Returns when it is continued; at once when
// nobody could continue it (orphaned process group: the kernel drops terminal stops).
void stop_like(int signal) {
    ::kill(::getpid(), is_stop(signal) ? signal : SIGSTOP);
    if (!is_stop(signal)) return;
    sigset_t one;
    ::sigemptyset(&one);
    ::sigaddset(&one, signal);
    ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
    ::sigprocmask(SIG_BLOCK, &one, nullptr);
}

// The status once it has ended; nothing while it runs or is stopped.
Result<std::optional<int>> look_at(pid_t command) {
    int status = 0;
    for (;;) {
        const pid_t got = ::waitpid(command, &status, WNOHANG | WUNTRACED);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Error::from_errno("wait for the command");
        if (got == 0) return std::optional<int>();
        if (!WIFSTOPPED(status)) return std::optional(status);
        stop_like(WSTOPSIG(status));
        ::kill(command, SIGCONT);
    }
}

}  // namespace

Result<Supervisor> Supervisor::start() {
    // Inherited as ignored it would make children vanish unwaited for.
    if (::signal(SIGCHLD, SIG_DFL) == SIG_ERR) return Error::from_errno("reset SIGCHLD");
    const sigset_t set = watched();
    sigset_t before;
    if (::sigprocmask(SIG_BLOCK, &set, &before) != 0) return Error::from_errno("block signals");
    UniqueFd fd(::signalfd(-1, &set, SFD_CLOEXEC));
    if (!fd) {
        const int saved = errno;
        ::sigprocmask(SIG_SETMASK, &before, nullptr);
        return Error::from_errno("make a signalfd", saved);
    }
    return Supervisor(std::move(fd), before);
}

Supervisor::~Supervisor() {
    if (!signals_) return;
    // What came too late for the command is not for us either.
    sigset_t pending;
    const sigset_t set = watched();
    const timespec now{};
    while (::sigpending(&pending) == 0 && ::sigtimedwait(&set, nullptr, &now) > 0) continue;
    ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

Result<int> Supervisor::wait(pid_t command, const std::string& cgroup) {
    for (;;) {
        SLUICE_ASSIGN(const auto ended, look_at(command));
        if (ended) return *ended;
        signalfd_siginfo info{};
        const ssize_t got = ::read(signals_.get(), &info, sizeof info);
        if (got < 0 && errno != EINTR) return Error::from_errno("wait for signals");
        if (got != sizeof info || !for_command(info, cgroup)) continue;
        ::kill(command, static_cast<int>(info.ssi_signo));
    }
}

void die_by(int signal) {
    const rlimit none{};
    ::setrlimit(RLIMIT_CORE, &none);
    // A core pattern with a pipe ignores the limit.
    ::prctl(PR_SET_DUMPABLE, 0);
    ::signal(signal, SIG_DFL);
    sigset_t one;
    ::sigemptyset(&one);
    ::sigaddset(&one, signal);
    ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
    ::kill(::getpid(), signal);
}

}  // namespace sluice::run
