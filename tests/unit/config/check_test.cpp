#include <gtest/gtest.h>

#include "config/problems.h"

namespace sluice::config {
namespace {

using test::all;
using test::says;

const Time kNow{std::chrono::sys_days{std::chrono::year{2026} / 6 / 1}};

CheckReport checked(std::string_view text, const Baseline& baseline = {}) {
    return check(text, "f.toml", baseline, test::kPresets, {}, kNow);
}

TEST(Check, AGoodFileIsOkAndCounted) {
    const CheckReport report = checked(
        "[egress]\nstatic_tcp = [\"db.example:5432\", \"192.0.2.1:443\"]\nrequired = [\"lsm\"]\n");
    EXPECT_TRUE(report.ok()) << all(report.problems);
    EXPECT_EQ(report.names, std::vector<std::string>{"db.example"});
    EXPECT_EQ(report.policy.rules.size(), 2U);
    EXPECT_EQ(report.policy.required, std::vector<std::string>{"lsm"});
    EXPECT_GT(report.entries, 2U);
}

TEST(Check, ErrorsLeaveNothingAllowed) {
    const CheckReport report = checked("[egress]\nstatic_tcp = [\"192.0.2.1:443\", \"bad\"]\n");
    EXPECT_FALSE(report.ok());
    EXPECT_TRUE(report.policy.rules.empty());
}

TEST(Check, WhatTheHostDeniesIsSaid) {
    const CheckReport report = checked("[egress]\nstatic_tcp = [\"169.254.169.254:80\"]\n");
    EXPECT_TRUE(report.ok());
    EXPECT_TRUE(says(report.problems, "warning: never_matches: rule 169.254.169.254:80"))
        << all(report.problems);
}

TEST(Check, LimitsAreErrors) {
    std::string text = "[egress]\nstatic_tcp = [\n";
    for (int i = 0; i < 40; ++i) {
        std::string ports;
        for (int port = 1 + i; port < 65000; port += 2) ports += std::to_string(port) + ",";
        text += "\"192.0.2." + std::to_string(i) + ":" + ports + "65535\",\n";
    }
    const CheckReport report = checked(text + "]\n");
    EXPECT_FALSE(report.ok());
    EXPECT_TRUE(says(report.problems, "exact entries")) << all(report.problems);
}

TEST(Check, ExpiredRulesAreGoneAndSaid) {
    const CheckReport report = checked(
        "[[egress.rule]]\nhost = \"a.example\"\nports = \"1\"\n"
        "expires = 2026-05-31T23:59:59Z\n"
        "[[egress.rule]]\nhost = \"b.example\"\nports = \"1\"\n"
        "expires = 2026-06-01T02:00:01+02:00\n");
    EXPECT_EQ(report.names, std::vector<std::string>{"b.example"});
    EXPECT_TRUE(says(report.problems,
                     "f.toml:1: warning: rule a.example:1 expired on "
                     "2026-05-31T23:59:59Z and allows nothing"))
        << all(report.problems);
}

TEST(Effective, LayersAddUpAndKeepTheirNames) {
    Baseline baseline;
    baseline.mode = Mode::kOpen;
    baseline.baseline.rules = command_layer({"a.example:443"})->rules;
    baseline.baseline.rules[0].sources = {{Layer::kBaseline, "b.toml", 2, ""}};
    const ProjectFile project =
        test::parse("[egress]\nenabled = false\nstatic_tcp = [\"a.example:443\"]\n");
    const auto joined = effective(baseline, &project, *command_layer({"c.example:1"}), kNow);
    ASSERT_EQ(joined.policy.rules.size(), 2U);
    EXPECT_EQ(joined.policy.rules[0].sources.size(), 2U);
    EXPECT_EQ(joined.policy.rules[1].sources[0].to_string(), "command --allow");
    EXPECT_EQ(joined.policy.mode, Mode::kOpen);
    EXPECT_FALSE(joined.policy.enabled);
    EXPECT_TRUE(effective(baseline, nullptr, {}, kNow).policy.enabled);
}

TEST(Command, ErrorsNameTheOption) {
    EXPECT_TRUE(command_layer({})->rules.empty());
    const auto missing = command_layer({"a.example"});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().message,
              "--allow: rule \"a.example\" has no port: write a.example:443, or another port");
    EXPECT_FALSE(command_layer({"*.example:443"}));
}

}  // namespace
}  // namespace sluice::config
