#include <gtest/gtest.h>

#include "config/problems.h"

namespace sluice::config {
namespace {

using test::all;
using test::says;

TEST(Baseline, MissingDirectoryIsManagedAndEmpty) {
    const Baseline baseline = load_baseline("/nonexistent/sluice", {"user:alice"});
    EXPECT_EQ(baseline.mode, Mode::kManaged);
    EXPECT_TRUE(baseline.problems.empty()) << all(baseline.problems);
    EXPECT_TRUE(baseline.baseline.rules.empty());
}

TEST(Baseline, ADirectoryThatCannotBeListedIsAnError) {
    const test::TemporaryDirectory dir;
    dir.write("file", "");
    const Baseline baseline = test::load(dir.path() / "file");
    EXPECT_TRUE(has_errors(baseline.problems));
}

TEST(Baseline, FilesJoinInNameOrder) {
    const test::TemporaryDirectory dir;
    dir.write("20.toml", "[baseline]\nstatic_tcp = [\"b.example:443\"]\ndeny = [\"10.0.0.0/8\"]\n");
    dir.write("10.toml",
              "[baseline]\nstatic_tcp = [\"a.example:443\"]\n"
              "deny = [\"192.0.2.0/24:25\", \"[2001:db8::]/32\", \"198.51.100.1\"]\n");
    dir.write("README", "not toml");
    dir.write(".#30.toml", "not toml");
    const Baseline baseline = test::load(dir.path());
    ASSERT_FALSE(has_errors(baseline.problems)) << all(baseline.problems);
    ASSERT_EQ(baseline.baseline.rules.size(), 2U);
    EXPECT_EQ(baseline.baseline.rules[0].text(), "a.example:443");
    EXPECT_EQ(baseline.baseline.rules[0].sources[0].layer, Layer::kBaseline);
    std::vector<std::string> denies;
    for (const auto& deny : baseline.baseline.denies) denies.push_back(deny.text());
    EXPECT_EQ(denies, (std::vector<std::string>{"192.0.2.0/24:25", "[2001:db8::]/32:*",
                                                "198.51.100.1:*", "10.0.0.0/8:*"}));
}

TEST(Baseline, AFileWithErrorsAddsNothingButItsProblems) {
    const test::TemporaryDirectory dir;
    dir.write("a.toml",
              "[baseline]\nstatic_tcp = [\"a.example:443\"]\ndeny = [\"x.example\"]\n"
              "[mode]\ndefault = \"open\"\n");
    dir.write("b.toml", "[baseline]\nstatic_tcp = [\"b.example:443\"]\n");
    const Baseline baseline = test::load(dir.path());
    EXPECT_TRUE(has_errors(baseline.problems));
    EXPECT_EQ(baseline.mode, Mode::kManaged);
    ASSERT_EQ(baseline.baseline.rules.size(), 1U);
    EXPECT_EQ(baseline.baseline.rules[0].text(), "b.example:443");
    EXPECT_FALSE(effective(baseline, nullptr, {}, Time{}).usable());
}

TEST(Baseline, OpenOnlyWhereAllFilesThatSpeakAgree) {
    const test::TemporaryDirectory dir;
    dir.write("a.toml", "[mode]\ndefault = \"open\"\n");
    EXPECT_EQ(test::load(dir.path()).mode, Mode::kOpen);
    dir.write("b.toml", "[mode]\ndefault = \"managed\"\n");
    dir.write("c.toml", "[mode]\ndefault = \"open\"\n");
    const Baseline split = test::load(dir.path());
    EXPECT_EQ(split.mode, Mode::kManaged);
    EXPECT_TRUE(says(split.problems, "warning: mode.default")) << all(split.problems);
}

constexpr const char* kDeny = "[baseline]\ndeny = [\"10.0.0.0/8\"]\n";

TEST(Baseline, AFileThatOthersCanWriteIsAnErrorAndAddsNothing) {
    const test::TemporaryDirectory dir;
    dir.write("a.toml", kDeny);
    dir.write("b.toml", kDeny);
    ASSERT_EQ(test::load(dir.path()).baseline.denies.size(), 2U);
    for (const unsigned mode : {0664U, 0646U, 0622U}) {
        std::filesystem::permissions(dir.path() / "b.toml", std::filesystem::perms(mode));
        const Baseline baseline = test::load(dir.path());
        EXPECT_EQ(baseline.baseline.denies.size(), 1U) << mode;
        EXPECT_TRUE(says(baseline.problems, "b.toml: error: can be written by others"));
        EXPECT_TRUE(says(baseline.problems, "chmod go-w '" + (dir.path() / "b.toml").string()));
        EXPECT_FALSE(effective(baseline, nullptr, {}, Time{}).usable());
    }
}

TEST(Baseline, ADirectoryThatOthersCanWriteIsAnErrorAndAddsNothing) {
    const test::TemporaryDirectory dir;
    std::filesystem::create_directory(dir.path() / "policy.d");
    dir.write("policy.d/a.toml", kDeny);
    const auto set = [&](const char* name, unsigned mode) {
        std::filesystem::permissions(dir.path() / name, std::filesystem::perms(mode));
    };
    set("policy.d", 0755);
    ASSERT_EQ(test::load(dir.path() / "policy.d").baseline.denies.size(), 1U);
    set("policy.d", 0775);
    Baseline baseline = test::load(dir.path() / "policy.d");
    EXPECT_TRUE(baseline.baseline.denies.empty());
    EXPECT_TRUE(says(baseline.problems, "policy.d: error: can be written by others"));
    // Who writes above it could put another directory in its place.
    set("policy.d", 0755);
    set(".", 0777);
    baseline = test::load(dir.path() / "policy.d");
    EXPECT_TRUE(baseline.baseline.denies.empty());
    EXPECT_TRUE(says(baseline.problems, "the directory above it can be written by others"));
    EXPECT_TRUE(has_errors(test::load(dir.path() / "missing").problems));
    set(".", 01777);
    EXPECT_FALSE(has_errors(test::load(dir.path() / "policy.d").problems));
}

TEST(Baseline, AnotherUsersFileIsAnErrorAndAddsNothing) {
    const test::TemporaryDirectory dir;
    dir.write("a.toml", kDeny);
    if (::geteuid() != 0) {
        // Ours, where root's are asked for.
        EXPECT_TRUE(says(load_baseline(dir.path(), {}).problems, "belongs to uid "));
        GTEST_SKIP() << "another user's file needs root";
    }
    ASSERT_EQ(::chown((dir.path() / "a.toml").c_str(), 1, 0), 0);
    Baseline baseline = load_baseline(dir.path(), {});
    EXPECT_TRUE(baseline.baseline.denies.empty());
    EXPECT_TRUE(says(baseline.problems, "a.toml: error: belongs to uid 1, "));
    EXPECT_TRUE(says(baseline.problems, "; chown root: '" + (dir.path() / "a.toml").string()));
    // A link is what it leads to.
    std::filesystem::rename(dir.path() / "a.toml", dir.path() / "theirs");
    std::filesystem::create_symlink("theirs", dir.path() / "a.toml");
    EXPECT_TRUE(says(load_baseline(dir.path(), {}).problems, "a.toml: error: belongs to uid 1, "));
    ASSERT_EQ(::chown(dir.path().c_str(), 1, 0), 0);
    baseline = load_baseline(dir.path(), {});
    EXPECT_EQ(baseline.problems.size(), 1U) << all(baseline.problems);
    EXPECT_TRUE(says(baseline.problems, dir.path().string() + ": error: belongs to uid 1, "));
}

TEST(Baseline, GrantsAreForWhomTheyName) {
    const test::TemporaryDirectory dir;
    dir.write("a.toml",
              "[[grant]]\nname = \"tools\"\nprincipals = [\"user:alice\", \"sandbox:web-*\"]\n"
              "hosts = [\"api.example:443\", \"*.cdn.example:443\"]\n"
              "[grant.secret]\nenv = \"TOKEN\"\n"
              "[[grant]]\nname = \"nobody\"\nhosts = [\"other.example:443\"]\n");
    const auto rules = [&](const std::vector<std::string>& principals) {
        return test::load(dir.path(), principals).grants.rules;
    };
    EXPECT_TRUE(rules({"user:bob"}).empty());
    ASSERT_EQ(rules({"user:alice"}).size(), 2U);
    EXPECT_EQ(rules({"user:bob", "sandbox:web-7"}).size(), 2U);
    const Rule rule = rules({"user:alice"})[0];
    EXPECT_EQ(rule.sources[0].layer, Layer::kGrant);
    EXPECT_EQ(rule.sources[0].detail, "grant tools");
    EXPECT_EQ(rules({"user:alice"})[1].via, Via::kGateway);
    EXPECT_TRUE(says(test::load(dir.path()).problems,
                     "note: grant[0].secret: parsed and kept; nothing is injected"));
}

}  // namespace
}  // namespace sluice::config
