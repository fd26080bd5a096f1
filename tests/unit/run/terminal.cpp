#include "terminal.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "os/files.h"

namespace sluice::test {
namespace {

// Only so that a broken test ends; no test waits for it to pass.
constexpr int kGiveUpMs = 30000;

void print(const char* what, int number) {
    (void)os::write_fd(STDOUT_FILENO, "[" + std::string(what) +
                                          (number < 0 ? "" : " " + std::to_string(number)) + "]\n");
}

void read_line() {
    char c = 0;
    while (::read(STDIN_FILENO, &c, 1) == 1 && c != '\n') continue;
}

[[noreturn]] void shell_main(const std::function<int()>& job) {
    ::signal(SIGTTOU, SIG_IGN);
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::setpgid(0, 0);
        ::tcsetpgrp(STDIN_FILENO, ::getpid());
        ::signal(SIGTTOU, SIG_DFL);
        ::_exit(job());
    }
    ::setpgid(pid, pid);
    print("job", pid);
    for (;;) {
        int status = 0;
        if (::waitpid(pid, &status, WUNTRACED) < 0) ::_exit(1);
        ::tcsetpgrp(STDIN_FILENO, ::getpgrp());
        if (WIFEXITED(status)) print("exit", WEXITSTATUS(status));
        if (WIFSIGNALED(status)) print("signal", WTERMSIG(status));
        if (!WIFSTOPPED(status)) break;
        print("stopped", -1);
        read_line();
        ::tcsetpgrp(STDIN_FILENO, pid);
        ::kill(-pid, SIGCONT);
    }
    ::_exit(0);
}

}  // namespace

Terminal::Terminal(const std::function<int()>& job) {
    int master = -1;
    shell_ = ::forkpty(&master, nullptr, nullptr, nullptr);
    if (shell_ == 0) shell_main(job);
    master_.reset(master);
}

Terminal::~Terminal() {
    master_.reset();  // hangs up: the session's foreground group gets SIGHUP
    if (shell_ > 0) {
        ::kill(shell_, SIGKILL);
        while (::waitpid(shell_, nullptr, 0) < 0 && errno == EINTR) continue;
    }
}

void Terminal::type(const std::string& keys) {
    (void)os::write_fd(master_.get(), keys);
}

bool Terminal::shows(const std::string& text) {
    for (;;) {
        const auto at = seen_.find(text, matched_);
        if (at != std::string::npos) {
            matched_ = at + text.size();
            return true;
        }
        pollfd waited{.fd = master_.get(), .events = POLLIN, .revents = 0};
        if (::poll(&waited, 1, kGiveUpMs) <= 0) return false;
        std::array<char, 4096> chunk;
        const ssize_t got = ::read(master_.get(), chunk.data(), chunk.size());
        if (got <= 0) return false;  // EIO: the last process of the terminal is gone
        seen_.append(chunk.data(), static_cast<std::size_t>(got));
    }
}

pid_t Terminal::job() {
    if (!shows("[job ") || !shows("]")) return -1;
    return static_cast<pid_t>(std::atoi(seen_.c_str() + seen_.rfind("[job ", matched_) + 5));
}

}  // namespace sluice::test
