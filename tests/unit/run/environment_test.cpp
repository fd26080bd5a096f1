#include "run/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::run {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::StartsWith;

const os::Identity kAlice{.uid = 1000,
                          .gid = 1000,
                          .groups = {1000},
                          .user = "alice",
                          .home = "/home/alice",
                          .shell = "/bin/zsh"};

TEST(Environment, PlainRootKeepsAll) {
    EXPECT_THAT(command_environment({"PATH=/x", "HOME=/root", "SUDO_UID=1"}, {}, {}, "web"),
                ElementsAre("PATH=/x", "HOME=/root", "SUDO_UID=1", "SLUICE_SANDBOX=web"));
}

TEST(Environment, TheInvokersAgain) {
    const Variables sudos{"PATH=/secure",  "HOME=/root", "USER=root",     "LOGNAME=root",
                          "SHELL=/bin/sh", "MAIL=/x",    "SUDO_UID=1000", "SUDO_COMMAND=y",
                          "TERM=xterm",    "LC_ALL=C"};
    const Variables before{"PATH=/home/alice/.nvm/bin:/usr/bin", "LANG=de_DE.UTF-8",
                           "LD_PRELOAD=/evil.so", "HOME=/elsewhere"};
    const auto got = command_environment(sudos, kAlice, before, "web");
    EXPECT_EQ(lookup(got, "PATH"), "/home/alice/.nvm/bin:/usr/bin");
    EXPECT_EQ(lookup(got, "LANG"), "de_DE.UTF-8");
    EXPECT_EQ(lookup(got, "LC_ALL"), std::nullopt) << "the user had none";
    EXPECT_EQ(lookup(got, "HOME"), "/home/alice") << "from passwd";
    EXPECT_EQ(lookup(got, "USER"), "alice");
    EXPECT_EQ(lookup(got, "LOGNAME"), "alice");
    EXPECT_EQ(lookup(got, "SHELL"), "/bin/zsh");
    EXPECT_EQ(lookup(got, "TERM"), "xterm") << "what sudo let through stays";
    EXPECT_EQ(lookup(got, "SLUICE_SANDBOX"), "web");
    EXPECT_THAT(got, Not(Contains(StartsWith("SUDO_"))));
    EXPECT_THAT(got, Not(Contains(StartsWith("MAIL="))));
    EXPECT_THAT(got, Not(Contains(StartsWith("LD_PRELOAD="))));
}

TEST(Environment, UnknownBeforeSudoKeepsSudosPath) {
    const auto got = command_environment({"PATH=/secure", "LC_ALL=C"}, kAlice, {}, "web");
    EXPECT_EQ(lookup(got, "PATH"), "/secure");
    EXPECT_EQ(lookup(got, "LC_ALL"), "C");
}

TEST(Environment, SetReplacesEveryCopy) {
    Variables variables{"A=1", "AB=2", "A=3", "odd"};
    set(variables, "A", "4");
    EXPECT_THAT(variables, ElementsAre("AB=2", "odd", "A=4"));
    EXPECT_EQ(lookup(variables, "odd"), std::nullopt);
}

TEST(Environment, AParentThatIsNoSudoIsNotAsked) {
    EXPECT_EQ(environment_before_sudo(), std::nullopt);
}

}  // namespace
}  // namespace sluice::run
