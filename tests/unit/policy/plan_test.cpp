#include "policy/plan.h"

#include <gtest/gtest.h>
#include <netinet/in.h>

#include <algorithm>

#include "policy/resolution.h"

namespace sluice {
namespace {

Rule rule(std::string_view text, Layer layer = Layer::kProject) {
    return {*Endpoint::parse(text), Via::kKernel, {{layer, "f", 1, ""}}, "", {}};
}

Policy policy_of(const std::vector<std::string_view>& texts) {
    LayerRules layer;
    for (const auto text : texts) layer.rules.push_back(rule(text));
    return join({layer}, Time{});
}

Resolution resolution_of(const std::string& name, const std::vector<std::string_view>& addresses) {
    Resolution out;
    for (const auto text : addresses) out.names[name].addresses.push_back(*IpAddress::parse(text));
    std::ranges::sort(out.names[name].addresses);
    return out;
}

Plan planned(const Policy& policy, const Resolution& resolution = {}) {
    RuleIds ids;
    auto made = plan(policy, resolution, ids);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *made : Plan{};
}

std::vector<std::string> exact_of(const Plan& plan) {
    std::vector<std::string> out;
    for (const auto& [key, value] : plan.exact)
        out.push_back(IpAddress::from_v6_bytes(key.addr).to_string() + " " +
                      std::to_string(ntohs(key.port_be)));
    return out;
}

bool has_note(const Plan& plan, std::string_view part) {
    return std::ranges::any_of(plan.notes, [part](const std::string& note) {
        return note.find(part) != std::string::npos;
    });
}

TEST(Plan, EmptyPolicyGrantsNothing) {
    const Plan plan = planned(policy_of({}));
    EXPECT_TRUE(plan.exact.empty());
    EXPECT_EQ(plan.flags, 0U);
    for (const auto& range : plan.ranges) EXPECT_NE(range.rule_id & SLUICE_RANGE_DENY, 0U);
    for (const auto& [key, value] : plan.prefixes) EXPECT_EQ(value.flags, 0U);
}

TEST(Plan, SingleAddressesGetAnEntryAPortAndAMarker) {
    const Plan plan = planned(policy_of({"192.0.2.1:22,443", "192.0.2.9:8000-8100"}));
    EXPECT_EQ(exact_of(plan), (std::vector<std::string>{"192.0.2.1 0", "192.0.2.1 22",
                                                        "192.0.2.1 443", "192.0.2.9 0"}));
    EXPECT_EQ(plan.exact[0].second.rule_id, 0U);
    EXPECT_NE(plan.exact[1].second.rule_id, 0U);
}

TEST(Plan, NamesBecomeTheirAddresses) {
    const Plan plan = planned(policy_of({"db.example:5432", "nowhere.example:1"}),
                              resolution_of("db.example", {"192.0.2.1", "2001:db8::1"}));
    EXPECT_EQ(exact_of(plan), (std::vector<std::string>{"192.0.2.1 0", "192.0.2.1 5432",
                                                        "2001:db8::1 0", "2001:db8::1 5432"}));
}

TEST(Plan, ANamesPrivateAddressNeedsConsent) {
    Policy policy = policy_of({"db.example:5432"});
    const Resolution resolution = resolution_of("db.example", {"10.0.0.7", "198.51.100.7"});
    const Plan guarded = planned(policy, resolution);
    EXPECT_EQ(exact_of(guarded), (std::vector<std::string>{"198.51.100.7 0", "198.51.100.7 5432"}));
    EXPECT_TRUE(has_note(guarded, "private_address: db.example resolved to 10.0.0.7"));
    EXPECT_TRUE(has_note(guarded, "allow_private = [\"db.example\"]"));
    policy.allow_private = {{"db.example"}};
    EXPECT_EQ(exact_of(planned(policy, resolution)).size(), 4U);
}

TEST(Plan, ANamesAddressesAreLimitedTheSameWayEveryTime) {
    Policy policy = policy_of({"many.example:443"});
    policy.learned_addresses = 2;
    const Plan plan = planned(
        policy, resolution_of("many.example", {"198.51.100.9", "198.51.100.1", "198.51.100.5"}));
    EXPECT_EQ(exact_of(plan), (std::vector<std::string>{"198.51.100.1 0", "198.51.100.1 443",
                                                        "198.51.100.5 0", "198.51.100.5 443"}));
    EXPECT_TRUE(has_note(plan, "many_addresses: many.example resolved to 3 addresses"));
}

TEST(Plan, WhatADenyCoversStaysOutAndIsNoted) {
    const Plan plan =
        planned(policy_of({"169.254.169.254:80", "169.254.0.0/16:80", "[fe80::1]:1-9"}));
    EXPECT_EQ(exact_of(plan), (std::vector<std::string>{"169.254.169.254 0", "fe80::1 0"}));
    EXPECT_TRUE(has_note(plan,
                         "rule 169.254.169.254:80 never matches: the host denies "
                         "169.254.169.254:* (builtin (cloud metadata))"));
    EXPECT_TRUE(has_note(plan, "rule 169.254.0.0/16:80 never matches"));
    EXPECT_TRUE(has_note(plan, "rule [fe80::1]:1-9 never matches"));
}

TEST(Plan, Nat64OfADeniedAddressStaysOut) {
    Policy policy = policy_of({"x.example:80"});
    policy.allow_private = {{"x.example"}};
    const Plan plan = planned(policy, resolution_of("x.example", {"64:ff9b::169.254.169.254"}));
    EXPECT_EQ(plan.exact.size(), 1U) << "the marker alone";
    EXPECT_TRUE(has_note(plan, "never matches at 64:ff9b::a9fe:a9fe"));
}

TEST(Plan, OnlyTheBaselineOpensABuiltinDeny) {
    const auto exact_for = [](Layer layer) {
        return exact_of(planned(join({{{rule("169.254.169.254:80", layer)}, {}}}, Time{}))).size();
    };
    EXPECT_EQ(exact_for(Layer::kBaseline), 2U);
    EXPECT_EQ(exact_for(Layer::kProject), 1U);
    EXPECT_EQ(exact_for(Layer::kGrant), 1U);
}

TEST(Plan, TheHostsOwnDenyIsNotOpenedByTheBaseline) {
    LayerRules baseline{{rule("192.0.2.1:80", Layer::kBaseline)}, {}};
    baseline.denies.push_back({*IpPrefix::parse("192.0.2.0/24"),
                               *PortSet::parse("*"),
                               {Layer::kBaseline, "b", 3, ""},
                               ""});
    EXPECT_EQ(exact_of(planned(join({baseline}, Time{}))).size(), 1U);
}

TEST(Plan, DisabledAndOpenAreFlags) {
    Policy policy = policy_of({"192.0.2.1:443", "10.0.0.0/8:1-9"});
    policy.mode = Mode::kOpen;
    EXPECT_EQ(planned(policy).flags, SLUICE_FLAG_OPEN);
    policy.enabled = false;
    const Plan off = planned(policy);
    EXPECT_NE(off.flags & SLUICE_FLAG_DISABLED, 0U);
    EXPECT_TRUE(off.exact.empty());
    EXPECT_TRUE(off.prefixes.empty());
    EXPECT_FALSE(off.rules.empty()) << "list still shows them";
}

TEST(Plan, EqualRangeListsAreShared) {
    LayerRules layer;
    for (int i = 0; i < 100; ++i) {
        const std::string base = "203.0." + std::to_string(i) + ".0/24:80-90";
        layer.rules.push_back(rule(base));
    }
    const std::size_t without = planned(policy_of({})).ranges.size();
    const Plan distinct = planned(join({layer}, Time{}));
    EXPECT_EQ(distinct.ranges.size(), without + 100) << "every rule has its own id";
    layer.rules.assign(1, rule("203.0.0.0/16:80-90"));
    layer.denies.clear();
    for (int i = 0; i < 100; ++i)
        layer.denies.push_back({*IpPrefix::parse("203.0." + std::to_string(i) + ".0/24"),
                                *PortSet::parse("80-90"),
                                {},
                                ""});
    // The id of a deny is its own too, but the same entry stated twice is one.
    layer.denies.insert(layer.denies.end(), layer.denies.begin(), layer.denies.end());
    EXPECT_EQ(planned(join({layer}, Time{})).ranges.size(), without + 101);
}

TEST(Plan, RelayedRulesAreListedAndGrantNothing) {
    Rule relayed = rule("192.0.2.1:443");
    relayed.via = Via::kGateway;
    const Plan plan = planned(join({{{relayed}, {}}}, Time{}));
    EXPECT_TRUE(plan.exact.empty());
    EXPECT_TRUE(std::ranges::any_of(plan.rules, [](const PlannedRule& r) {
        return r.via == Via::kGateway && r.text == "192.0.2.1:443" && r.id.value != 0;
    }));
}

TEST(Plan, IdsStayWithTheirRules) {
    RuleIds ids;
    const auto first = plan(policy_of({"192.0.2.1:443"}), {}, ids);
    const RuleId id = ids.find(rule_key("192.0.2.1:443", Via::kKernel));
    ASSERT_NE(id.value, 0U);
    const auto second = plan(policy_of({"192.0.2.0:1", "192.0.2.1:443"}), {}, ids);
    ASSERT_TRUE(first && second);
    EXPECT_EQ(ids.find(rule_key("192.0.2.1:443", Via::kKernel)), id);
    EXPECT_TRUE(std::ranges::is_sorted(second->rules, {}, &PlannedRule::id));
    EXPECT_EQ(second->max_rule_id, ids.used());
    EXPECT_EQ(ids.find(rule_key("192.0.2.1:443", Via::kGateway)).value, 0U);
    EXPECT_EQ(ids.find(deny_key("192.0.2.1:443")).value, 0U);
}

Policy many_rules(std::uint32_t count, std::string_view ports) {
    Policy policy = join({}, Time{});
    const PortSet set = *PortSet::parse(ports);
    for (std::uint32_t i = 0; i < count; ++i)
        policy.rules.push_back({{IpPrefix::host(IpAddress::v4(0x20000000U + i)), set},
                                Via::kKernel,
                                {{Layer::kProject, "f", i + 1, ""}},
                                "",
                                {}});
    return policy;
}

TEST(Plan, TwoHundredThousandRulesFit) {
    EXPECT_EQ(planned(many_rules(200'000, "443")).exact.size(), 400'000U);
    EXPECT_EQ(planned(many_rules(200'000, "1-2")).exact.size(), 200'000U);
}

TEST(Plan, MoreThanTheLimitIsSaid) {
    RuleIds ids;
    const auto made = plan(many_rules(300'000, "1,3,5"), {}, ids);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, Errc::kInvalid);
    EXPECT_NE(made.error().message.find("1200000 exact entries"), std::string::npos);
    EXPECT_NE(made.error().message.find("151424 more than the 1048576"), std::string::npos);
}

TEST(Plan, RangesThatMultiplyAreRefused) {
    std::string odd;
    for (int port = 1; port < 60000; port += 3)
        odd += std::to_string(port) + "-" + std::to_string(port + 1) + ",";
    Policy policy = many_rules(3000, "1-2");
    policy.rules.push_back({{*IpPrefix::parse("32.0.0.0/8"), *PortSet::parse(odd + "65535")},
                            Via::kKernel,
                            {{Layer::kProject, "f", 1, ""}},
                            "",
                            {}});
    RuleIds ids;
    const auto made = plan(policy, {}, ids);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, Errc::kInvalid);
    EXPECT_NE(made.error().message.find("port ranges"), std::string::npos);
}

}  // namespace
}  // namespace sluice
