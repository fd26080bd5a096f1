#include "os/identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "os/files.h"
#include "temp_dir.h"

namespace sluice::os {
namespace {

Getenv env(std::map<std::string, std::string> variables) {
    return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
}

// A user other than root that every system has.
Identity daemon_user() {
    const passwd* entry = ::getpwnam("daemon");
    return identity_of(entry->pw_uid).value();
}

TEST(Identity, RootByPasswd) {
    const auto root = identity_of(0);
    ASSERT_TRUE(root);
    EXPECT_EQ(root->user, "root");
    EXPECT_THAT(root->groups, testing::Contains(root->gid));
}

TEST(Identity, NoSudoNoInvoker) {
    EXPECT_FALSE(sudo_invoker(env({})).value().has_value());
    EXPECT_FALSE(sudo_invoker(env({{"SUDO_UID", "0"}, {"SUDO_USER", "root"}})).value().has_value());
}

TEST(Identity, SudosUserIfPasswdConfirms) {
    const Identity user = daemon_user();
    const auto uid = std::to_string(user.uid), gid = std::to_string(user.gid);
    const auto found =
        sudo_invoker(env({{"SUDO_UID", uid}, {"SUDO_USER", user.user}, {"SUDO_GID", gid}}));
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ((*found)->uid, user.uid);
    EXPECT_EQ((*found)->home, user.home);
}

TEST(Identity, ContradictionsAreErrors) {
    const Identity user = daemon_user();
    const auto uid = std::to_string(user.uid);
    EXPECT_FALSE(sudo_invoker(env({{"SUDO_UID", uid}, {"SUDO_USER", "root"}})));
    EXPECT_FALSE(sudo_invoker(env({{"SUDO_UID", uid}, {"SUDO_GID", "0"}})));
    EXPECT_FALSE(sudo_invoker(env({{"SUDO_UID", uid + "x"}})));
    EXPECT_FALSE(sudo_invoker(env({{"SUDO_UID", ""}})));
    EXPECT_FALSE(sudo_invoker(env({{"SUDO_UID", "-1"}})));
    EXPECT_FALSE(sudo_invoker(env({{"SUDO_UID", "4294967295"}})));
    EXPECT_FALSE(sudo_invoker(env({{"SUDO_UID", "3999999999"}}))) << "nobody has this one";
}

TEST(Identity, ActingAsAUserAndBack) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    const test::TempDir dir;
    ASSERT_EQ(::chmod(dir.path().c_str(), 0777), 0);
    {
        const auto acting = ActingAs::begin(daemon_user());
        ASSERT_TRUE(acting) << acting.error().message;
        EXPECT_EQ(::geteuid(), daemon_user().uid);
        ASSERT_TRUE(write_file_atomic(dir / "theirs", "x"));
        EXPECT_FALSE(read_file("/etc/shadow", 1 << 20));
    }
    EXPECT_EQ(::geteuid(), 0u);
    EXPECT_EQ(::getegid(), 0u);
    struct stat found {};
    ASSERT_EQ(::stat((dir / "theirs").c_str(), &found), 0);
    EXPECT_EQ(found.st_uid, daemon_user().uid);
}

TEST(Identity, BecomingIsForGood) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    const pid_t pid = ::fork();
    if (pid == 0) {
        const Identity user = daemon_user();
        if (!become(user) || ::getuid() != user.uid || ::getegid() != user.gid) ::_exit(1);
        ::_exit(::setuid(0) == 0 || ::setgid(0) == 0 ? 2 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace sluice::os
