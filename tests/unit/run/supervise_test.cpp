// A supervised command on a terminal with a job-control shell in front: see terminal.h.
#include "run/supervise.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include "../os/temp_dir.h"
#include "os/cgroup.h"
#include "terminal.h"

namespace sluice::run {
namespace {

using test::Terminal;

// As `sluice run` does it: forked, then supervised, then let go.
int supervised(const std::vector<std::string>& words, const std::string& cgroup) {
    std::array<int, 2> gate{};
    if (::pipe2(gate.data(), O_CLOEXEC) != 0) return 98;
    const pid_t pid = ::fork();
    if (pid == 0) {
        char go = 0;
        ::close(gate[1]);
        if (::read(gate[0], &go, 1) != 1) ::_exit(97);
        std::vector<char*> argv;
        for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
        argv.push_back(nullptr);
        ::execvp(argv[0], argv.data());
        ::_exit(96);
    }
    int status = 0;
    {
        auto supervisor = Supervisor::start();
        if (!supervisor || ::write(gate[1], "x", 1) != 1) return 95;
        const auto ended = supervisor->wait(pid, cgroup);
        if (!ended) return 94;
        status = *ended;
    }
    if (WIFSIGNALED(status)) die_by(WTERMSIG(status));
    return WEXITSTATUS(status);
}

std::function<int()> sh(const std::string& script, const std::string& cgroup = "") {
    return [=] { return supervised({"sh", "-c", script}, cgroup); };
}

TEST(Supervise, InputOutputAndExitCodePass) {
    Terminal terminal(sh("echo rea''dy; read x; echo \"got-$x\"; exit 5"));
    ASSERT_TRUE(terminal.shows("ready")) << terminal.all();
    terminal.type("hello\n");
    EXPECT_TRUE(terminal.shows("got-hello")) << terminal.all();
    EXPECT_TRUE(terminal.shows("[exit 5]")) << terminal.all();
}

TEST(Supervise, StopsAndContinuesWithTheCommand) {
    Terminal terminal(sh("echo rea''dy; exec cat"));
    ASSERT_TRUE(terminal.shows("ready")) << terminal.all();
    for (int round = 0; round < 3; ++round) {
        terminal.type("\x1a");
        ASSERT_TRUE(terminal.shows("[stopped]")) << terminal.all();
        terminal.type("fg\n");
        // Once echoed by the terminal, once written by cat.
        const std::string mark = "mark" + std::to_string(round);
        terminal.type(mark + "\n");
        ASSERT_TRUE(terminal.shows(mark) && terminal.shows(mark)) << terminal.all();
    }
    terminal.type("\x03");
    EXPECT_TRUE(terminal.shows("[signal 2]")) << terminal.all();
}

TEST(Supervise, StopsByOtherHandsToo) {
    // SIGSTOP can't be caught or ignored by anybody; TTIN is what a background read gives.
    for (const char* signal : {"STOP", "TTIN", "TSTP"}) {
        Terminal terminal(sh(std::string("kill -") + signal + " $$; echo aga''in; exit 6"));
        ASSERT_TRUE(terminal.shows("[stopped]")) << signal << terminal.all();
        terminal.type("fg\n");
        EXPECT_TRUE(terminal.shows("again")) << signal << terminal.all();
        EXPECT_TRUE(terminal.shows("[exit 6]")) << signal << terminal.all();
    }
}

TEST(Supervise, TheCommandDecidesAboutCtrlC) {
    Terminal terminal(sh("trap '' INT QUIT TSTP; echo rea''dy; read x; exit 4"));
    ASSERT_TRUE(terminal.shows("ready")) << terminal.all();
    terminal.type("\x03\x1c\x1a");
    terminal.type("go\n");
    EXPECT_TRUE(terminal.shows("[exit 4]")) << terminal.all();
}

TEST(Supervise, DeathBySignalIsPassedUp) {
    for (const int signal : {SIGTERM, SIGKILL, SIGSEGV, SIGUSR1, SIGPIPE}) {
        Terminal terminal(sh("kill -" + std::to_string(signal) + " $$"));
        EXPECT_TRUE(terminal.shows("[signal " + std::to_string(signal) + "]")) << terminal.all();
    }
}

TEST(Supervise, SignalsFromOutsideReachTheCommand) {
    for (const auto& [signal, name] :
         {std::pair(SIGTERM, "TERM"), std::pair(SIGHUP, "HUP"), std::pair(SIGUSR1, "USR1"),
          std::pair(SIGUSR2, "USR2"), std::pair(SIGINT, "INT")}) {
        Terminal terminal(sh("trap 'kill $!; exit 3' " + std::string(name) +
                             "; sleep 1000 & echo rea''dy; wait"));
        const pid_t job = terminal.job();
        ASSERT_GT(job, 0);
        ASSERT_TRUE(terminal.shows("ready")) << terminal.all();
        ASSERT_EQ(::kill(job, signal), 0);
        EXPECT_TRUE(terminal.shows("[exit 3]")) << name << terminal.all();
    }
}

TEST(Supervise, SignalsFromInsideAreNotSentTwice) {
    // Everything here runs in this cgroup: we are "inside".
    const auto cgroup = os::cgroup_of(::getpid());
    if (!cgroup) GTEST_SKIP() << "no cgroup v2";
    Terminal terminal(sh("trap 'exit 3' TERM; echo rea''dy; read x; exit 4", *cgroup));
    const pid_t job = terminal.job();
    ASSERT_TRUE(terminal.shows("ready")) << terminal.all();
    ASSERT_EQ(::kill(job, SIGTERM), 0);
    terminal.type("go\n");
    EXPECT_TRUE(terminal.shows("[exit 4]")) << terminal.all();
}

TEST(Supervise, AnInteractiveShellWithItsOwnJobs) {
    if (::access("/bin/bash", X_OK) != 0) GTEST_SKIP() << "no bash";
    const test::TempDir dir;
    // Says when it has been continued: only then is the terminal in its modes again.
    std::ofstream(dir / "job") << "sleep 1000 &\n"
                                  "trap 'echo again' CONT\n"
                                  "trap 'kill $!; exit 1' INT\n"
                                  "echo ready\n"
                                  "while :; do wait; done\n";
    Terminal terminal([] { return supervised({"bash", "--norc", "--noprofile", "-i"}, ""); });
    terminal.type("PS1='prom''pt> '\n");
    ASSERT_TRUE(terminal.shows("prompt> ")) << terminal.all();
    terminal.type("sh " + (dir / "job").string() + "\n");
    ASSERT_TRUE(terminal.shows("ready")) << terminal.all();
    terminal.type("\x1a");
    ASSERT_TRUE(terminal.shows("Stopped") && terminal.shows("prompt> ")) << terminal.all();
    terminal.type("fg\n");
    ASSERT_TRUE(terminal.shows("again")) << terminal.all();
    terminal.type("\x03");
    ASSERT_TRUE(terminal.shows("prompt> ")) << terminal.all();
    terminal.type("suspend\n");
    ASSERT_TRUE(terminal.shows("[stopped]")) << terminal.all();
    terminal.type("fg\n");
    ASSERT_TRUE(terminal.shows("prompt> ")) << terminal.all();
    terminal.type("echo $((40+2)).\n");
    ASSERT_TRUE(terminal.shows("42.")) << terminal.all();
    terminal.type("exit 9\n");
    EXPECT_TRUE(terminal.shows("[exit 9]")) << terminal.all();
}

}  // namespace
}  // namespace sluice::run
