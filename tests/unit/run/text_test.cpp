#include <gtest/gtest.h>

#include "run/name.h"
#include "run/say.h"

namespace sluice::run {
namespace {

TEST(Name, Valid) {
    EXPECT_TRUE(valid_name("a"));
    EXPECT_TRUE(valid_name("0web-1.x_y"));
    EXPECT_TRUE(valid_name(std::string(63, 'a')));
    for (const char* bad : {"", ".", "..", "-x", "_x", "A", "a/b", "a b", "a\n", "\xc3\xa9"})
        EXPECT_FALSE(valid_name(bad)) << bad;
    EXPECT_FALSE(valid_name(std::string(64, 'a')));
}

TEST(Name, DefaultFromTheCommand) {
    EXPECT_EQ(default_name("npm", 12), "npm-12");
    EXPECT_EQ(default_name("/usr/bin/Python3.11", 12), "python3.11-12");
    EXPECT_EQ(default_name("./-_a b$", 12), "ab-12");
    EXPECT_EQ(default_name("\xc3\xa9/", 12), "run-12");
    const auto longest = default_name(std::string(500, 'x'), 4194304);
    EXPECT_EQ(longest.size(), 63u);
    EXPECT_TRUE(longest.ends_with("-4194304"));
    EXPECT_TRUE(valid_name(longest));
}

TEST(ShellLine, ReadsBackTheSame) {
    EXPECT_EQ(shell_line({"sudo", "/usr/bin/sluice", "run", "--allow", "a.example:443"}),
              "sudo /usr/bin/sluice run --allow a.example:443");
    EXPECT_EQ(shell_quote(""), "''");
    EXPECT_EQ(shell_quote("it's $HOME"), R"('it'\''s $HOME')");
    EXPECT_EQ(shell_quote("[::1]:80"), "'[::1]:80'");
    EXPECT_EQ(shell_quote("~/x"), "'~/x'");
    EXPECT_EQ(shell_quote("a\nb"), "'a\nb'");
}

}  // namespace
}  // namespace sluice::run
