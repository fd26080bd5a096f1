// The kernel's verdict against the C++ reference, on random policies and random questions.
#include <rapidcheck.h>

#include <cstring>

#include "bpf/fixture.h"
#include "policy/decide.h"

namespace sluice {
namespace {

// A small world, so that rules, denies and questions meet.
IpAddress some_address(unsigned pick) {
    static const std::vector<std::string> world{"10.0.0.1",
                                                "10.0.0.2",
                                                "10.0.1.1",
                                                "10.1.0.1",
                                                "127.0.0.1",
                                                "127.0.0.2",
                                                "0.0.0.0",
                                                "192.0.2.1",
                                                "169.254.169.254",
                                                "::1",
                                                "::",
                                                "2001:db8::1",
                                                "2001:db8::2",
                                                "2001:db8:1::1",
                                                "64:ff9b::a00:1",
                                                "fe80::1",
                                                "64:ff9b::a9fe:a9fe",
                                                "2002:a00:1::1",
                                                "255.255.255.255",
                                                "224.0.0.1"};
    return *IpAddress::parse(world[pick % world.size()]);
}

std::string some_host(unsigned pick) {
    static const std::vector<std::string> hosts{
        "10.0.0.1",    "10.0.0.2",        "10.0.0.0/31",      "10.0.0.0/24",     "10.0.0.0/8",
        "10.1.0.0/16", "0.0.0.0/0",       "127.0.0.1",        "127.0.0.0/8",     "[::1]",
        "192.0.2.1",   "169.254.169.254", "[2001:db8::1]",    "[2001:db8::]/64", "[2001:db8::]/32",
        "[::]/0",      "[64:ff9b::]/96",  "[64:ff9b::a00:1]", "[2002::]/16",     "[fe80::1]"};
    return hosts[pick % hosts.size()];
}

const std::vector<std::string> kPorts{"1",     "22",    "53", "80", "80,443",
                                      "79-81", "1-100", "*",  "443"};
const std::vector<std::uint16_t> kAskedPorts{0, 1, 21, 22, 53, 79, 80, 81, 100, 101, 443, 65535};

std::vector<std::string> some_entries() {
    std::vector<std::string> entries;
    const auto count = *rc::gen::inRange(0, 9);
    for (int i = 0; i < count; i++) {
        const auto host = some_host(*rc::gen::inRange(0u, 20u));
        entries.push_back(host + ":" + *rc::gen::elementOf(kPorts));
    }
    return entries;
}

sluice_query some_query() {
    sluice_query query{};
    const auto address = some_address(*rc::gen::inRange(0u, 20u));
    std::memcpy(query.addr, address.bytes.data(), sizeof query.addr);
    query.port_be = htons(*rc::gen::elementOf(kAskedPorts));
    query.proto = *rc::gen::element<std::uint8_t>(IPPROTO_TCP, IPPROTO_TCP, IPPROTO_UDP);
    query.op = *rc::gen::inRange<std::uint8_t>(0, 3);
    query.listener = *rc::gen::inRange<std::uint8_t>(0, 3);
    return query;
}

std::string show(const sluice_verdict& v) {
    return std::string(v.allow ? "allow" : "deny") + " reason " + std::to_string(v.reason) +
           " rule " + std::to_string(v.rule_id);
}

}  // namespace

TEST_F(KernelTest, KernelAgreesWithTheReferenceOnRandomPolicies) {
    attach();
    const bool agreed = rc::check("kernel decide() == reference decide()", [this] {
        const auto rules = some_entries(), denies = some_entries();
        Policy policy = policy_of(rules, denies);
        policy.enabled = *rc::gen::inRange(0, 10) != 0;
        policy.mode = *rc::gen::inRange(0, 4) == 0 ? Mode::kOpen : Mode::kManaged;
        const auto planned = plan(policy, {}, ids_);
        RC_ASSERT(planned.has_value());
        RC_ASSERT(enforcer_->apply(*sandbox_, *planned).has_value());
        for (int i = 0; i < 50; i++) {
            const auto query = some_query();
            const auto kernel = enforcer_->ask(*sandbox_, query);
            RC_ASSERT(kernel.has_value());
            const auto reference = decide(policy, {}, ids_, query);
            RC_LOG() << "rules " << ::testing::PrintToString(rules) << " denies "
                     << ::testing::PrintToString(denies) << " ask "
                     << IpAddress::from_v6_bytes(query.addr).to_string() << " port "
                     << ntohs(query.port_be) << " proto " << int(query.proto) << " op "
                     << int(query.op) << " listener " << int(query.listener) << ": kernel "
                     << show(*kernel) << ", reference " << show(reference) << "\n";
            RC_ASSERT(show(*kernel) == show(reference));
        }
    });
    EXPECT_TRUE(agreed);
}

TEST_F(KernelTest, UnconfiguredAnswersNotConfigured) {
    attach();
    sluice_query query{};
    query.port_be = htons(80);
    query.proto = IPPROTO_TCP;
    const auto answer = enforcer_->ask(*sandbox_, query);
    ASSERT_OK(answer);
    EXPECT_EQ(answer->allow, 0);
    EXPECT_EQ(answer->reason, SLUICE_REASON_NOT_CONFIGURED);
}

TEST_F(KernelTest, TwoHundredThousandRulesFit) {
    attach();
    LayerRules layer;
    for (std::uint32_t i = 0; i < 200000; i++) {
        Rule rule;
        rule.endpoint = {IpPrefix::host(IpAddress::v4(0x0a000000 + i)), PortSet::single(443)};
        rule.sources.push_back({});
        layer.rules.push_back(std::move(rule));
    }
    const auto policy = join({layer}, std::chrono::system_clock::now());
    const auto planned = plan(policy, {}, ids_);
    ASSERT_OK(planned);
    ASSERT_OK(enforcer_->apply(*sandbox_, *planned));
    for (const std::uint32_t i : {0u, 1u, 99999u, 199999u}) {
        const auto answer = enforcer_->lookup(*sandbox_, IpAddress::v4(0x0a000000 + i), 443);
        ASSERT_OK(answer);
        EXPECT_EQ(answer->allow, 1);
    }
    EXPECT_EQ(enforcer_->lookup(*sandbox_, IpAddress::v4(0x0a000000 + 200000), 443)->allow, 0);
}

}  // namespace sluice
