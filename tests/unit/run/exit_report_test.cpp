#include "run/exit_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::run {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

json denial(const char* host, const char* comm, unsigned pid, unsigned count) {
    return {{"reason", "no_rule"},
            {"text", "no rule covers it"},
            {"dst", "192.0.2.1"},
            {"host", host},
            {"port", 443},
            {"proto", "tcp"},
            {"pid", pid},
            {"comm", comm},
            {"uid", 1000},
            {"count", count},
            {"remedy", std::string("sluice add ") + host + ":443"}};
}

TEST(ExitReport, SameAttemptsAreOneLine) {
    const json list{
        {"denials",
         {denial("registry.example", "npm", 812, 2), denial("x.example", "npm", 812, 1),
          denial("registry.example", "npm", 813, 1), denial("registry.example", "node", 9, 1)}}};
    EXPECT_THAT(denial_lines(list),
                ElementsAre("refused 3x registry.example:443 by npm[812]: no rule covers it; allow "
                            "it: sluice add registry.example:443",
                            "refused 1x x.example:443 by npm[812]: no rule covers it; allow it: "
                            "sluice add x.example:443",
                            "refused 1x registry.example:443 by node[9]: no rule covers it; allow "
                            "it: sluice add registry.example:443"));
}

TEST(ExitReport, DnsByName) {
    json one = denial("registry.example", "npm", 812, 2);
    one["reason"] = "dns";
    one["port"] = 53;
    one["text"] = "not in the policy";
    EXPECT_THAT(denial_lines({{"denials", {one}}}),
                ElementsAre("refused 2x DNS look-up of registry.example by npm[812]: not in the "
                            "policy; allow it: sluice add registry.example:443"));
}

TEST(ExitReport, AddressWhereNoNameIsKnown) {
    json one = denial("", "x", 0, 1);
    one["dst"] = "2001:db8::7";
    one["remedy"] = "";
    EXPECT_THAT(denial_lines({{"denials", {one}}}),
                ElementsAre("refused 1x [2001:db8::7]:443 by x: no rule covers it"));
    one["dst"] = "";
    one["port"] = 0;
    one["comm"] = "";
    EXPECT_THAT(denial_lines({{"denials", {one}}}),
                ElementsAre("refused 1x an attempt without an address by the kernel: no rule "
                            "covers it"));
}

TEST(ExitReport, TheSandboxsWordsAreEscaped) {
    const json list{{"denials", {denial("a\x1b[2Jb", "ev\nil\x1b]0;", 1, 1)}}};
    const auto lines = denial_lines(list);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].find('\x1b'), std::string::npos);
    EXPECT_EQ(lines[0].find('\n'), std::string::npos);
    EXPECT_NE(lines[0].find("ev\\nil\\x1b]0;[1]"), std::string::npos);
}

TEST(ExitReport, NobodyListeningIsNoRefusalOfThePolicys) {
    json one = denial("localhost", "curl", 1, 1);
    one["reason"] = "no_listener";
    EXPECT_THAT(denial_lines({{"denials", {one}}}), IsEmpty());
}

TEST(ExitReport, AtMostTenLines) {
    json denials = json::array();
    for (int i = 0; i < 13; ++i)
        denials.push_back(denial(("h" + std::to_string(i)).c_str(), "x", 1, 1));
    const auto lines = denial_lines({{"denials", denials}});
    ASSERT_EQ(lines.size(), 10u);
    EXPECT_EQ(lines.back(), "and 4 more");
    denials.erase(denials.begin() + 10, denials.end());
    EXPECT_THAT(denial_lines({{"denials", denials}}).back(), testing::HasSubstr("h9"));
}

TEST(ExitReport, NothingRefusedOrUnknownSaysNothing) {
    EXPECT_THAT(denial_lines(json::object()), IsEmpty());
    EXPECT_THAT(denial_lines(nullptr), IsEmpty());
    EXPECT_THAT(denial_lines({{"denials", "odd"}}), IsEmpty());
    EXPECT_THAT(denial_lines({{"denials", {1, nullptr}}}), IsEmpty());
}

TEST(ExitReport, Json) {
    const RunRecord record{
        .sandbox = "web",
        .command = {"sh", "-c", "\xff"},
        .exit = 143,
        .duration = std::chrono::milliseconds(1500),
        .warnings = {"w"},
        .list = {{"denials", {denial("a", "b", 1, 2)}}, {"counters", {{"refused", 2}}}}};
    const json report = json::parse(many_lines(report_json(record)));
    const std::string line = one_line(report_json(record));
    EXPECT_EQ(json::parse(line), report);
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_EQ(report["sandbox"], "web");
    EXPECT_EQ(report["exit"], 143);
    EXPECT_EQ(report["duration_s"], 1.5);
    EXPECT_EQ(report["denials"][0]["count"], 2);
    EXPECT_EQ(report["counters"]["refused"], 2);
    EXPECT_EQ(report["warnings"], json({"w"}));
    RunRecord without = record;
    without.list = nullptr;
    EXPECT_EQ(report_json(without)["denials"], json::array());
}

}  // namespace
}  // namespace sluice::run
