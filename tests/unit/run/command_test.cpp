#include "run/command.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "../os/temp_dir.h"
#include "os/files.h"
#include "os/process.h"

namespace sluice::run {
namespace {

using testing::HasSubstr;

class Command : public testing::Test {
  protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "needs root to make a mount namespace";
    }
    static Result<WaitingCommand> shell(const std::string& script) {
        return WaitingCommand::fork(
            {.argv = {"sh", "-c", script}, .environment = {"PATH=/usr/bin:/bin"}, .identity = {}});
    }
    static os::Identity nobody() {
        return {.uid = 65534,
                .gid = 65534,
                .groups = {65534},
                .user = "nobody",
                .home = "/",
                .shell = "/bin/sh"};
    }
    static int wait(pid_t pid) {
        int status = 0;
        EXPECT_EQ(::waitpid(pid, &status, 0), pid);
        return status;
    }
    static StartFailure failure(const std::string& program, const Release& release = {}) {
        auto command = WaitingCommand::fork(
            {.argv = {program}, .environment = {"PATH=/usr/bin:/bin"}, .identity = {}});
        auto released = command->release(release);
        EXPECT_TRUE(released && *released) << program << " was started";
        return released && *released ? **released : StartFailure{};
    }
    test::TempDir dir_;
};

TEST_F(Command, RunsOnlyOnceReleased) {
    const auto mark = dir_ / "mark";
    auto command = shell("echo ran > '" + mark.string() + "'; exit 7");
    ASSERT_TRUE(command) << command.error().message;
    EXPECT_EQ(os::pid_of_pidfd(command->pidfd()).value(), command->pid());
    EXPECT_FALSE(std::filesystem::exists(mark));
    const auto released = command->release({});
    ASSERT_TRUE(released && !*released);
    EXPECT_EQ(WEXITSTATUS(wait(command->pid())), 7);
    EXPECT_TRUE(std::filesystem::exists(mark));
}

TEST_F(Command, DroppedItNeverRuns) {
    const auto mark = dir_ / "mark";
    pid_t pid = 0;
    {
        const auto command = shell("echo ran > '" + mark.string() + "'");
        ASSERT_TRUE(command);
        pid = command->pid();
    }
    EXPECT_EQ(::waitpid(pid, nullptr, 0), -1) << "reaped";
    EXPECT_FALSE(std::filesystem::exists(mark));
}

TEST_F(Command, NotFoundAndNotExecutableAsEnv) {
    const auto missing = failure("no-such-program");
    EXPECT_EQ(missing.exit_code, 127);
    EXPECT_EQ(missing.message, "'no-such-program': No such file or directory");
    const auto plain = dir_ / "plain";
    std::ofstream(plain) << "x";
    EXPECT_EQ(failure(plain.string()).exit_code, 126);
    EXPECT_EQ(failure("/tmp").exit_code, 126);
}

TEST_F(Command, AnswersVariablesReplaceOnes) {
    auto command = shell("test \"$A:$B\" = 'x=y:2'");
    ASSERT_TRUE(command);
    ASSERT_TRUE(command->release({.environment = {"A=x=y", "B=2"}, .binds = {}}));
    EXPECT_EQ(wait(command->pid()), 0);
}

TEST_F(Command, BindsAreReadOnlyAndItsOwn) {
    std::ofstream(dir_ / "inner") << "inner";
    std::ofstream(dir_ / "outer") << "outer";
    std::filesystem::create_symlink("outer", dir_ / "link");
    const std::string link = (dir_ / "link").string();
    auto command =
        shell("test \"$(cat '" + link + "')\" = inner && ! echo x 2>&- > '" + link + "'");
    ASSERT_TRUE(command);
    const auto released = command->release(
        {.environment = {}, .binds = {{.source = (dir_ / "inner").string(), .target = link}}});
    ASSERT_TRUE(released && !*released);
    EXPECT_EQ(wait(command->pid()), 0);
    EXPECT_EQ(os::read_file(dir_ / "outer", 100).value(), "outer") << "not bound out here";
}

TEST_F(Command, ABindThatFailsIsNeverSkipped) {
    const auto failed = failure("true", {.environment = {}, .binds = {{"/no/such", "/etc/hosts"}}});
    EXPECT_EQ(failed.exit_code, 3);
    EXPECT_THAT(failed.message, HasSubstr("bind '/no/such' over '/etc/hosts'"));
}

TEST_F(Command, RunsAsTheUser) {
    const os::Identity user{.uid = 1234,
                            .gid = 2345,
                            .groups = {2345, 3456},
                            .user = "u",
                            .home = "/",
                            .shell = "/bin/sh"};
    auto command = WaitingCommand::fork(
        {.argv = {"sh", "-c", "test \"$(id -u):$(id -g):$(id -G)\" = '1234:2345:2345 3456'"},
         .environment = {"PATH=/usr/bin:/bin"},
         .identity = user});
    ASSERT_TRUE(command);
    ASSERT_TRUE(command->release({}));
    EXPECT_EQ(wait(command->pid()), 0);
}

// The descriptors stay open across a plain exec; the shell's own /proc shows what came through.
TEST_F(Command, AnInheritedSocketStaysOutsideAPipeComesIn) {
    std::array<int, 2> sockets{}, pipe{};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const UniqueFd socket(sockets[0]), peer(sockets[1]), read(pipe[0]), write(pipe[1]);
    const UniqueFd event(::eventfd(0, 0)), epoll(::epoll_create1(0)),
        pidfd(::fcntl(os::open_pidfd(::getpid())->get(), F_DUPFD, 0));
    std::string script = "echo through >&" + std::to_string(write.get()) + " && ";
    for (const auto* fd : {&socket, &peer, &event, &epoll, &pidfd}) {
        ASSERT_GT(fd->get(), STDERR_FILENO);
        script += "! test -e /proc/$$/fd/" + std::to_string(fd->get()) + " && ";
    }
    for (const auto& identity : {std::optional<os::Identity>(), std::optional(nobody())}) {
        auto command = WaitingCommand::fork({.argv = {"bash", "-c", script + "exit 5"},
                                             .environment = {"PATH=/usr/bin:/bin"},
                                             .identity = identity});
        ASSERT_TRUE(command && command->release({}));
        EXPECT_EQ(WEXITSTATUS(wait(command->pid())), 5);
        std::array<char, 8> got{};
        ASSERT_EQ(::read(read.get(), got.data(), got.size()), 8);
    }
    EXPECT_EQ(::fcntl(socket.get(), F_GETFD), 0) << "it is still ours";
}

TEST_F(Command, AStandardStreamMayBeASocket) {
    const int status = [] {
        std::array<int, 2> sockets{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
        const UniqueFd ours(sockets[0]), theirs(sockets[1]);
        const UniqueFd before(::dup(STDIN_FILENO));
        ::dup2(theirs.get(), STDIN_FILENO);
        auto command = shell("test -S /proc/self/fd/0");
        ::dup2(before.get(), STDIN_FILENO);
        EXPECT_TRUE(command && command->release({}));
        return wait(command->pid());
    }();
    EXPECT_EQ(status, 0);
}

TEST_F(Command, AUsersCommandGainsNothingFromSetuidPrograms) {
    for (const auto& [identity, expected] :
         {std::pair(std::optional(nobody()), "1"), std::pair(std::optional<os::Identity>(), "0")}) {
        auto command = WaitingCommand::fork(
            {.argv = {"grep", "-q", "^NoNewPrivs:.*" + std::string(expected), "/proc/self/status"},
             .environment = {"PATH=/usr/bin:/bin"},
             .identity = identity});
        ASSERT_TRUE(command && command->release({}));
        EXPECT_EQ(wait(command->pid()), 0) << expected;
    }
}

}  // namespace
}  // namespace sluice::run
