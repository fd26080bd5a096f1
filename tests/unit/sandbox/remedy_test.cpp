#include "sandbox/remedy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sluice/abi.h>

#include "policy/reason.h"
#include "sandbox/times.h"
#include "sandbox/warning.h"

namespace sluice::sandbox {
namespace {

using testing::HasSubstr;

Refusal refusal(std::uint8_t reason, const char* address = "192.0.2.1", std::string host = {}) {
    return {.reason = reason,
            .proto = IPPROTO_TCP,
            .address = *IpAddress::parse(address),
            .port = 8080,
            .host = std::move(host)};
}

TEST(Remedy, ForWhatARuleWouldAllow) {
    EXPECT_EQ(refusal_remedy(refusal(SLUICE_REASON_NO_RULE)), "sluice add 192.0.2.1:8080");
    EXPECT_EQ(refusal_remedy(refusal(SLUICE_REASON_NO_RULE, "2001:db8::1")),
              "sluice add [2001:db8::1]:8080");
    EXPECT_EQ(refusal_remedy(refusal(SLUICE_REASON_WRONG_PORT, "192.0.2.1", "db.example")),
              "sluice add db.example:8080");
    EXPECT_EQ(refusal_remedy(refusal(SLUICE_REASON_LOOPBACK_SERVICE, "127.0.0.1")),
              "sluice add 127.0.0.1:8080");
}

Refusal look_up(std::string name) {
    return refusal(SLUICE_REASON_DNS, "192.0.2.53", std::move(name));
}

TEST(Remedy, ForDns) {
    EXPECT_EQ(refusal_remedy(look_up("x.example")), "sluice add x.example:443");
    EXPECT_EQ(refusal_text(look_up("x.example")), "not in the policy");
    EXPECT_EQ(refusal_remedy(refusal(SLUICE_REASON_DNS)),
              "allow the name you need: sluice add NAME:PORT");
}

TEST(Remedy, ANameThatIsNotKnownInFullIsNoCommand) {
    const std::string longest(60, 'a');
    EXPECT_EQ(refusal_remedy(look_up(longest + ".e")), "sluice add " + longest + ".e:443");
    for (const std::string& name : {longest + ".ex", std::string("a?b.example")})
        EXPECT_THAT(refusal_remedy(look_up(name)), HasSubstr("too long to tell in full")) << name;
    EXPECT_EQ(refusal_remedy(look_up("a..example")), "no rule can name it");
    EXPECT_EQ(refusal_remedy(refusal(SLUICE_REASON_NO_RULE, "0.0.0.0")), "no rule can name it");
}

TEST(Remedy, ANameOfThePolicyNeedsNoRule) {
    auto known = look_up("x.example");
    known.named = Named::kYes;
    EXPECT_THAT(refusal_text(known), HasSubstr("in the policy, whose names"));
    EXPECT_THAT(refusal_remedy(known), HasSubstr("the system's resolver"));
    known.named = Named::kUnresolved;
    EXPECT_THAT(refusal_text(known), HasSubstr("did not resolve"));
    EXPECT_THAT(refusal_remedy(known), HasSubstr("a new run resolves it"));
}

TEST(Remedy, NamesThePolicyFileThatIsInForce) {
    auto one = refusal(SLUICE_REASON_NO_RULE);
    one.policy_file = ".sluice.toml";
    EXPECT_EQ(refusal_remedy(one), "sluice add 192.0.2.1:8080");
    one.policy_file = "ci/egress.toml";
    EXPECT_EQ(refusal_remedy(one), "sluice add --policy ci/egress.toml 192.0.2.1:8080");
    one.policy_file = "it's a; file";
    EXPECT_EQ(refusal_remedy(one), R"(sluice add --policy 'it'\''s a; file' 192.0.2.1:8080)");
}

TEST(Remedy, ForWhatNoRuleOpens) {
    EXPECT_THAT(refusal_remedy(refusal(SLUICE_REASON_UDP)), HasSubstr("UDP carries no rules"));
    auto deny = refusal(SLUICE_REASON_HOST_DENY);
    deny.rule = "192.0.2.0/24:*, baseline lab.toml:3";
    EXPECT_EQ(refusal_remedy(deny),
              "'192.0.2.0/24:*, baseline lab.toml:3' is denied to every sandbox of this host; only "
              "the host's operator can change it");
    EXPECT_THAT(refusal_text(deny), HasSubstr("(192.0.2.0/24:*, baseline lab.toml:3)"));
    for (int reason = 0; reason < SLUICE_REASON_COUNT; ++reason) {
        const auto one = refusal(static_cast<std::uint8_t>(reason));
        EXPECT_FALSE(refusal_remedy(one).empty()) << reason;
        EXPECT_FALSE(refusal_text(one).empty()) << reason;
        const bool known = reason_id(one.reason) != "unknown";
        if (!known || !is_denial(one.reason) || reason == SLUICE_REASON_INTERNAL) continue;
        EXPECT_EQ(refusal_remedy(one).find("doctor"), std::string::npos)
            << reason_id(one.reason) << " has a text of its own";
    }
}

TEST(Warning, APlanNotesHeadIsItsCode) {
    EXPECT_EQ(from_plan_note("private_address: x is 10.0.0.1").code, "private_address");
    EXPECT_EQ(from_plan_note("private_address: x is 10.0.0.1").text, "x is 10.0.0.1");
    EXPECT_EQ(from_plan_note("rule X: never matches").code, "note");
    EXPECT_EQ(from_plan_note("plain").text, "plain");
}

TEST(Warning, DegradedIsCodeAndText) {
    const auto out = degraded_json({"bpf_lsm: no BTF", "odd"});
    EXPECT_EQ(out[0]["code"], "bpf_lsm");
    EXPECT_EQ(out[0]["text"], "no BTF");
    EXPECT_EQ(out[1]["code"], "host");
}

TEST(Times, AreRfc3339InUtc) {
    EXPECT_EQ(rfc3339(Time{}), "1970-01-01T00:00:00Z");
    EXPECT_EQ(rfc3339(Time{} + std::chrono::milliseconds(1'769'846'399'999)),
              "2026-01-31T07:59:59Z");
}

TEST(Warnings, WhatAPresetTookHasACodeOfItsOwn) {
    config::Problem problem{config::Severity::kNote,
                            "f.toml",
                            2,
                            "egress.presets[0]",
                            "preset npm takes a.example:443 from ~/.npmrc",
                            ""};
    EXPECT_EQ(from_problem(problem).code, "preset_hosts");
    EXPECT_EQ(from_problem(problem).severity, "note");
    problem.text = "preset npm has relayed rules";
    EXPECT_EQ(from_problem(problem).code, "policy_file_note");
}

}  // namespace
}  // namespace sluice::sandbox
