#include "policy/decide_cases.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "policy/decide.h"
#include "policy/reason.h"
#include "policy/slot.h"

namespace sluice {
namespace {

Rule rule(const char* text, Layer layer) {
    return {*Endpoint::parse(text), Via::kKernel, {{layer, "f", 1, ""}}, "", {}};
}

Policy table_policy() {
    LayerRules baseline, project;
    for (const auto* text : test::kBaselineRules)
        baseline.rules.push_back(rule(text, Layer::kBaseline));
    for (const auto* text : test::kDenies) {
        const Endpoint endpoint = *Endpoint::parse(text);
        baseline.denies.push_back({std::get<IpPrefix>(endpoint.host),
                                   endpoint.ports,
                                   {Layer::kBaseline, "b", 1, ""},
                                   ""});
    }
    for (const auto* text : test::kProjectRules)
        project.rules.push_back(rule(text, Layer::kProject));
    return join({baseline, project}, Time{});
}

Resolution table_resolution() {
    Resolution resolution;
    auto& addresses = resolution.names[test::kName].addresses;
    for (const auto* text : test::kNameAddresses) addresses.push_back(*IpAddress::parse(text));
    std::ranges::sort(addresses);
    return resolution;
}

// What an id says in the plan's own list of rules, as a person would read it.
std::string text_of(const Plan& plan, std::uint32_t id) {
    for (const auto& planned : plan.rules)
        if (planned.id.value == id) return planned.text;
    return "";
}

class DecideCases : public testing::TestWithParam<test::Case> {};

TEST_P(DecideCases, ReferenceAndTablesAnswerAsTheTable) {
    const test::Case& row = GetParam();
    Policy policy = table_policy();
    if (row.open) policy.mode = Mode::kOpen;
    const Resolution resolution = table_resolution();
    RuleIds ids;
    const auto planned = plan(policy, resolution, ids);
    ASSERT_TRUE(planned);
    const sluice_query q =
        test::query(*IpAddress::parse(row.address), row.port, row.proto, row.op, row.listener);
    for (const sluice_verdict& got :
         {decide(policy, resolution, ids, q), test::Slot(*planned).decide(q)}) {
        EXPECT_EQ(got.allow != 0, row.allow);
        EXPECT_EQ(reason_id(got.reason), reason_id(row.reason));
        EXPECT_EQ(text_of(*planned, got.rule_id), row.rule ? row.rule : "");
        EXPECT_EQ(is_denial(got.reason), got.allow == 0);
    }
}

INSTANTIATE_TEST_SUITE_P(Table, DecideCases, testing::ValuesIn(test::kCases),
                         [](const auto& row) { return "row" + std::to_string(row.index); });

TEST(Decide, DisabledRefusesEverything) {
    Policy policy = table_policy();
    policy.enabled = false;
    policy.mode = Mode::kOpen;
    RuleIds ids;
    const auto q = test::query(*IpAddress::parse("192.0.2.1"), 443, IPPROTO_TCP);
    EXPECT_EQ(test::show(decide(policy, {}, ids, q)), "deny disabled");
    EXPECT_EQ(test::show(test::Slot(*plan(policy, {}, ids)).decide(q)), "deny disabled");
}

TEST(Decide, AnIpv6NetworkGrantsNoIpv4) {
    const Policy policy = join({{{rule("[::]/0:443", Layer::kProject)}, {}}}, Time{});
    RuleIds ids;
    const auto planned = plan(policy, {}, ids);
    ASSERT_TRUE(planned);
    const auto q = test::query(*IpAddress::parse("198.51.100.1"), 443, IPPROTO_TCP);
    EXPECT_EQ(test::show(decide(policy, {}, ids, q)), "deny no_rule");
    EXPECT_EQ(test::show(test::Slot(*planned).decide(q)), "deny no_rule");
}

}  // namespace
}  // namespace sluice
