#include "os/process.h"
#include "base/unique_fd.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "paused_child.h"

namespace sluice::os {
namespace {

using test::PausedChild;

TEST(Process, PidOfAPidfd) {
    const PausedChild child;
    const auto pidfd = open_pidfd(child.pid());
    ASSERT_TRUE(pidfd);
    EXPECT_EQ(pid_of_pidfd(pidfd->get()).value(), child.pid());
    EXPECT_TRUE(is_child_of(child.pid(), ::getpid()).value());
    EXPECT_FALSE(is_child_of(::getpid(), child.pid()).value());
}

TEST(Process, AReapedProcessIsGone) {
    PausedChild child;
    const auto pidfd = open_pidfd(child.pid());
    ASSERT_TRUE(pidfd);
    ASSERT_TRUE(signal_pidfd(pidfd->get(), SIGKILL));
    child.reap();
    EXPECT_EQ(pid_of_pidfd(pidfd->get()).error().code, Errc::kNotFound);
    EXPECT_EQ(signal_pidfd(pidfd->get(), SIGTERM).error().code, Errc::kNotFound);
}

TEST(Process, OtherDescriptorsAreNoPidfd) {
    EXPECT_EQ(pid_of_pidfd(STDERR_FILENO).error().code, Errc::kInvalid);
    EXPECT_EQ(pid_of_pidfd(99999).error().code, Errc::kNotFound);
}

TEST(Process, Info) {
    const auto info = process_info(::getpid());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_EQ(info->parent, ::getppid());
    EXPECT_EQ(info->uid, ::getuid());
    EXPECT_EQ(info->comm, "unit_os");
    EXPECT_EQ(program_of(::getpid())->path, own_program().value());
    EXPECT_EQ(own_program()->filename(), "unit_os");
}

TEST(Process, EnvironmentAsStarted) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd read_end(ends[0]);
    UniqueFd write_end(ends[1]);
    const pid_t pid = ::fork();
    if (pid == 0) {
        char* argv[] = {const_cast<char*>("sh"), const_cast<char*>("-c"),
                        const_cast<char*>("echo; kill -STOP $$"), nullptr};
        char* env[] = {const_cast<char*>("A=1"), const_cast<char*>("B=x=y"), nullptr};
        ::dup2(write_end.get(), STDOUT_FILENO);
        ::execve("/bin/sh", argv, env);
        ::_exit(1);
    }
    const PausedChild child(pid);
    write_end.reset();
    // What the new program wrote proves that the exec is complete.
    char byte = 0;
    ASSERT_EQ(::read(read_end.get(), &byte, 1), 1);
    EXPECT_THAT(environment_of(pid).value(), testing::ElementsAre("A=1", "B=x=y"));
}

}  // namespace
}  // namespace sluice::os
