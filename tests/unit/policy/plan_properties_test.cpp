// plan() and decide() against each other: the tables, looked up as the kernel does, must answer
// what the policy says, for every question about every address that could matter.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>

#include "policy/decide.h"
#include "policy/random_policy.h"
#include "policy/slot.h"

namespace sluice {
namespace {

sluice_query any_query() {
    return test::query(
        *test::any_address(), *test::any_port(),
        *rc::gen::element<std::uint8_t>(IPPROTO_TCP, IPPROTO_TCP, IPPROTO_UDP, 132),
        *rc::gen::element<std::uint8_t>(SLUICE_OP_CONNECT, SLUICE_OP_SEND, SLUICE_OP_PACKET),
        *rc::gen::element<std::uint8_t>(SLUICE_LISTENER_NONE, SLUICE_LISTENER_OWN,
                                        SLUICE_LISTENER_OTHER));
}

template <class Table>
bool strictly_sorted(const Table& table) {
    return std::ranges::adjacent_find(table, [](const auto& a, const auto& b) {
               return std::memcmp(&a.first, &b.first, sizeof a.first) >= 0;
           }) == table.end();
}

template <class Table>
bool same_bytes(const Table& a, const Table& b) {
    if (a.size() != b.size()) return false;
    return a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
}

RC_GTEST_PROP(PlanProperties, TablesAnswerAsThePolicy, ()) {
    const test::World world = *test::any_world();
    RuleIds ids;
    const auto planned = plan(world.policy, world.resolution, ids);
    RC_ASSERT(planned.has_value());
    const test::Slot slot(*planned);
    for (int i = 0; i < 60; ++i) {
        const sluice_query q = any_query();
        const auto want = test::show(decide(world.policy, world.resolution, ids, q));
        const auto got = test::show(slot.decide(q));
        if (want != got)
            RC_LOG() << IpAddress::from_v6_bytes(q.addr).to_string() << " port " << ntohs(q.port_be)
                     << " proto " << int{q.proto} << " op " << int{q.op} << "\n";
        RC_ASSERT(got == want);
    }
}

RC_GTEST_PROP(PlanProperties, TablesAreWellFormed, ()) {
    const test::World world = *test::any_world();
    RuleIds ids;
    const auto planned = plan(world.policy, world.resolution, ids);
    RC_ASSERT(planned.has_value());
    RC_ASSERT(strictly_sorted(planned->exact));
    for (const auto& [key, value] : planned->prefixes) {
        std::uint32_t next = 1, previous_value = 0;
        RC_ASSERT(std::size_t{value.first} + value.count <= planned->ranges.size());
        for (std::uint32_t i = 0; i < value.count; ++i) {
            const auto& range = planned->ranges[value.first + i];
            RC_ASSERT(range.first >= next && range.first <= range.last);
            RC_ASSERT(!(range.first == next && range.rule_id == previous_value));  // merged
            RC_ASSERT((range.rule_id & ~SLUICE_RANGE_DENY) <= planned->max_rule_id);
            next = range.last + 1U;
            previous_value = range.rule_id;
        }
    }
}

RC_GTEST_PROP(PlanProperties, SameInputSamePlanAndSameIds, ()) {
    const test::World world = *test::any_world();
    RuleIds ids;
    const auto first = plan(world.policy, world.resolution, ids);
    const auto used = ids.used();
    const auto second = plan(world.policy, world.resolution, ids);
    RC_ASSERT(first && second);
    RC_ASSERT(ids.used() == used);
    RC_ASSERT(same_bytes(first->exact, second->exact));
    RC_ASSERT(same_bytes(first->prefixes, second->prefixes));
    RC_ASSERT(same_bytes(first->ranges, second->ranges));
    RC_ASSERT(first->notes == second->notes);
}

// A union: what one layer grants, no rule of another takes away.
RC_GTEST_PROP(PlanProperties, MoreRulesNeverAllowLess, ()) {
    const test::World world = *test::any_world();
    test::World more = world;
    LayerRules before{world.policy.rules, {}}, extra;
    extra.rules.push_back(
        {*test::any_endpoint(), Via::kKernel, {{Layer::kProject, "x", 1, ""}}, "", {}});
    more.policy.rules = join({before, extra}, Time{}).rules;
    const RuleIds ids;
    for (int i = 0; i < 60; ++i) {
        const sluice_query q = any_query();
        if (decide(world.policy, world.resolution, ids, q).allow == 0) continue;
        RC_ASSERT(decide(more.policy, more.resolution, ids, q).allow == 1);
    }
}

RC_GTEST_PROP(GrammarProperties, CanonicalTextParsesBack, ()) {
    const Endpoint endpoint = *test::any_endpoint();
    const auto back = Endpoint::parse(endpoint.to_string());
    RC_ASSERT(back.has_value());
    RC_ASSERT(*back == endpoint);
}

RC_GTEST_PROP(GrammarProperties, AnyTextIsARuleOrAnErrorThatShows, ()) {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::element('a', 'X', '1', '0', '.', ':', '[', ']', '/', '*', '-', ',', ' ', '\0',
                         '\n', '\xc3', '\xbc', 'f', '%', '@'));
    const auto parsed = Endpoint::parse(text);
    if (parsed) {
        RC_ASSERT(*Endpoint::parse(parsed->to_string()) == *parsed);
    } else {
        RC_ASSERT(parsed.error().code == Errc::kInvalid);
        RC_ASSERT(!parsed.error().message.empty());
        RC_ASSERT(std::ranges::none_of(parsed.error().message, [](char c) {
            return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
        }));
    }
}

RC_GTEST_PROP(GrammarProperties, AddressesParseBack, ()) {
    const auto bytes = *rc::gen::container<std::vector<std::uint8_t>>(
        16, rc::gen::element<std::uint8_t>(0, 0, 0, 1, 0xff, 0x7f, 0x64));
    const IpAddress address = IpAddress::from_v6_bytes(bytes.data());
    const auto back = IpAddress::parse(address.to_string());
    RC_ASSERT(back.has_value());
    RC_ASSERT(*back == address);
}

}  // namespace
}  // namespace sluice
