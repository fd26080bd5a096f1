#include <gtest/gtest.h>

#include "policy/policy.h"

namespace sluice {
namespace {

Rule rule(std::string_view text, Layer layer = Layer::kProject, std::uint32_t line = 1) {
    return {*Endpoint::parse(text), Via::kKernel, {{layer, "f", line, ""}}, "", {}};
}

std::vector<std::string> texts(const Policy& policy) {
    std::vector<std::string> out;
    for (const auto& r : policy.rules) out.push_back(r.text());
    return out;
}

TEST(Join, NoLayersAllowNothingAndStillDeny) {
    const Policy policy = join({}, Time{});
    EXPECT_TRUE(policy.rules.empty());
    EXPECT_EQ(policy.denies.size(), builtin_denies().size());
    EXPECT_EQ(policy.mode, Mode::kManaged);
}

TEST(Join, SameRuleTwiceIsOneRuleWithTwoSources) {
    const Policy policy = join({{{rule("EXAMPLE.com.:443", Layer::kProject, 9)}, {}},
                                {{rule("example.com:443", Layer::kBaseline, 2),
                                  rule("example.com:443", Layer::kBaseline, 2)},
                                 {}}},
                               Time{});
    ASSERT_EQ(texts(policy), std::vector<std::string>{"example.com:443"});
    ASSERT_EQ(policy.rules[0].sources.size(), 2U);
    EXPECT_EQ(policy.rules[0].sources[0].layer, Layer::kBaseline);
    EXPECT_EQ(policy.rules[0].sources[1].layer, Layer::kProject);
}

TEST(Join, PathsStayApart) {
    Rule relayed = rule("example.com:443");
    relayed.via = Via::kGateway;
    const Policy policy = join({{{rule("example.com:443"), relayed}, {}}}, Time{});
    EXPECT_EQ(policy.rules.size(), 2U);
    EXPECT_EQ(policy.kernel_names(), std::vector<DnsName>{{"example.com"}});
}

TEST(Join, LocalhostIsBothLoopbackAddresses) {
    const Policy policy = join({{{rule("localhost:80")}, {}}}, Time{});
    EXPECT_EQ(texts(policy), (std::vector<std::string>{"[::1]:80", "127.0.0.1:80"}));
    EXPECT_TRUE(policy.kernel_names().empty());
    EXPECT_EQ(policy.rules[0].sources[0].detail, "localhost");
}

TEST(Join, ExpiredRulesAreGoneAndTheLongerLifeWins) {
    const Time now{std::chrono::hours(1000)};
    Rule past = rule("a.example:1"), soon = rule("b.example:1"), later = rule("b.example:1"),
         forever = rule("c.example:1"), until = rule("c.example:1");
    past.expires = now;
    soon.expires = now + std::chrono::hours(1);
    later.expires = now + std::chrono::hours(2);
    until.expires = now + std::chrono::hours(2);
    const Policy policy = join({{{past, soon, later, forever, until}, {}}}, now);
    ASSERT_EQ(texts(policy), (std::vector<std::string>{"b.example:1", "c.example:1"}));
    EXPECT_EQ(policy.rules[0].expires, later.expires);
    EXPECT_FALSE(policy.rules[1].expires);
}

TEST(Join, DeniesComeAfterTheBuiltinOnes) {
    LayerRules host;
    host.denies.push_back({*IpPrefix::parse("10.0.0.0/8"), *PortSet::parse("22"), {}, ""});
    const Policy policy = join({host}, Time{});
    EXPECT_EQ(policy.denies.back().text(), "10.0.0.0/8:22");
    EXPECT_EQ(policy.denies.front().source.layer, Layer::kBuiltin);
}

}  // namespace
}  // namespace sluice
