#include <netinet/in.h>

#include "fixture.h"

namespace sluice::sandbox::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::vector<std::string> codes(const json& warnings) {
    std::vector<std::string> out;
    for (const json& one : warnings) out.push_back(one["code"]);
    return out;
}

TEST_F(ManagerTest, ListSaysWhatIsInstalled) {
    resolves("db.example", {"192.0.2.1"}, std::chrono::seconds(90));
    create(with_policy("[egress]\nstatic_tcp = [\n  \"db.example:5432\",\n]\n"));
    kernel_.hits_[id_of("db.example:5432")] = {.count = 3, .last = host_.now()};
    const json out = listing();
    EXPECT_EQ(out["sandbox"], "web");
    EXPECT_EQ(out["owner"], 1000);
    EXPECT_EQ(out["enabled"], true);
    EXPECT_EQ(out["mode"], "managed");
    EXPECT_EQ(out["generation"], 1);
    EXPECT_EQ(out["installed"]["active"], true);
    EXPECT_EQ(out["installed"]["pinned"], true);
    EXPECT_EQ(out["installed"]["hooks"], json({{"connect4", "attached"}, {"egress", "attached"}}));
    EXPECT_EQ(out["installed"]["probe"]["ok"], true);
    ASSERT_EQ(out["rules"].size(), 1u);
    const json& rule = out["rules"][0];
    EXPECT_EQ(rule["text"], "db.example:5432");
    EXPECT_EQ(rule["host"], "db.example");
    EXPECT_EQ(rule["ports"], "5432");
    EXPECT_EQ(rule["layer"], "project");
    EXPECT_EQ(rule["source"], json({{"file", ".sluice.toml"}, {"line", 3}, {"detail", ""}}));
    EXPECT_EQ(rule["addresses"],
              json::array({{{"ip", "192.0.2.1"}, {"age_s", 90}, {"state", "fresh"}}}));
    EXPECT_EQ(rule["hits"], 3);
    EXPECT_EQ(rule["last_hit"], "2025-12-18T00:00:00Z");
    EXPECT_TRUE(out["pending"].is_array());
    EXPECT_TRUE(out["env"].is_object());
}

TEST_F(ManagerTest, ActiveIsTheKernelsWord) {
    create(request());
    EXPECT_EQ(listing()["installed"]["active"], true);
    kernel_.installed_.hooks[1].attached = false;
    EXPECT_EQ(listing()["installed"]["active"], false);
    EXPECT_EQ(listing()["installed"]["hooks"]["egress"], "missing");
    kernel_.installed_.hooks[1].attached = true;
    kernel_.installed_.generation = Generation(9);
    EXPECT_EQ(listing()["installed"]["active"], false);
    EXPECT_EQ(listing()["generation"], 9);
    kernel_.installed_.generation = Generation(1);
    kernel_.installed_.hooks.clear();
    EXPECT_EQ(listing()["installed"]["active"], false);
    world_.fail_at = "installed";
    const json out = listing();
    EXPECT_EQ(out["installed"]["active"], false);
    EXPECT_EQ(out["installed"]["probe"]["error"], "made to fail");
    EXPECT_EQ(manager_.list([](const Record&) { return true; })[0]["active"], false);
}

TEST_F(ManagerTest, ListShowsOnlyTheVisible) {
    create(request());
    EXPECT_EQ(manager_.list([](const Record&) { return false; }), json::array());
    const json all = manager_.list([](const Record& one) { return one.owner == 1000; });
    ASSERT_EQ(all.size(), 1u);
    EXPECT_EQ(all[0]["processes"], 1);
    EXPECT_EQ(all[0]["cgroup"], "/cg/sluice/web");
}

TEST_F(ManagerTest, DenialsHaveNamesAndRemedies) {
    resolves("db.example", {"192.0.2.1"});
    create(request({"db.example:5432"}));
    const auto denied = [&](const char* address, std::uint16_t port, std::uint8_t proto,
                            std::uint8_t reason, std::string name = {}) {
        kernel::Denial one;
        one.address = ip(address);
        one.port = port;
        one.proto = proto;
        one.reason = reason;
        one.count = 2;
        one.pid = 7;
        one.comm = "cu\x1brl";
        one.name = std::move(name);
        return one;
    };
    kernel_.denials_ = {denied("192.0.2.1", 80, IPPROTO_TCP, SLUICE_REASON_WRONG_PORT),
                        denied("192.0.2.53", 53, IPPROTO_UDP, SLUICE_REASON_DNS, "x.example"),
                        denied("::", 0, 0, SLUICE_REASON_PORT_ZERO),
                        denied("169.254.169.254", 80, IPPROTO_TCP, SLUICE_REASON_HOST_DENY)};
    kernel_.denials_[3].rule = RuleId(id_of("169.254.169.254:*"));
    const json out = listing()["denials"];
    ASSERT_EQ(out.size(), 3u) << "the probe's own refusals are not the sandbox's";
    EXPECT_EQ(out[0]["reason"], "wrong_port");
    EXPECT_EQ(out[0]["host"], "db.example");
    EXPECT_EQ(out[0]["dst"], "192.0.2.1");
    EXPECT_EQ(out[0]["proto"], "tcp");
    EXPECT_EQ(out[0]["remedy"], "sluice add db.example:80");
    EXPECT_EQ(out[0]["count"], 2);
    EXPECT_EQ(out[0]["comm"], "cu\x1brl");
    EXPECT_EQ(out[1]["host"], "x.example");
    EXPECT_EQ(out[1]["remedy"], "sluice add x.example:443");
    EXPECT_THAT(out[2]["rule"].get<std::string>(), HasSubstr("169.254.169.254:*, cloud metadata"));
    EXPECT_THAT(out[2]["remedy"].get<std::string>(), HasSubstr("only the host's operator"));
    EXPECT_TRUE(out[0]["rule"].is_null());
}

// A rule for the name would not open it.
TEST_F(ManagerTest, AnAddressThatWasLeftOutIsShownAsSuchAndHasNoName) {
    resolves("db.example", {"10.0.0.1", "192.0.2.1"});
    create(with_policy("[egress]\nstatic_tcp = [\"db.example:5432\"]\n"));
    kernel::Denial one;
    one.address = ip("10.0.0.1");
    one.port = 5432;
    one.proto = IPPROTO_TCP;
    one.reason = SLUICE_REASON_NO_RULE;
    kernel_.denials_ = {one};
    const json out = listing();
    const json& addresses = out["rules"][0]["addresses"];
    ASSERT_EQ(addresses.size(), 2u);
    EXPECT_EQ(addresses[0]["ip"], "10.0.0.1");
    EXPECT_EQ(addresses[0]["state"], "left_out");
    EXPECT_EQ(addresses[1]["state"], "fresh");
    EXPECT_EQ(out["denials"][0]["host"], "");
    EXPECT_EQ(out["denials"][0]["remedy"], "sluice add 10.0.0.1:5432");
}

TEST_F(ManagerTest, ALookUpOfThePolicysOwnNameNeedsNoRule) {
    resolves("db.example", {"192.0.2.1"});
    create(request({"db.example:5432"}));
    kernel::Denial one;
    one.address = ip("192.0.2.53");
    one.port = 53;
    one.proto = IPPROTO_UDP;
    one.reason = SLUICE_REASON_DNS;
    one.name = "db.example";
    kernel_.denials_ = {one};
    EXPECT_THAT(listing()["denials"][0]["text"].get<std::string>(), HasSubstr("in the policy"));
}

TEST_F(ManagerTest, CountersLeaveOutTheProbe) {
    create(request());
    kernel_.counters_.by_reason[SLUICE_REASON_RULE] = 5;
    kernel_.counters_.by_reason[SLUICE_REASON_NO_RULE] = 3;
    kernel_.counters_.by_reason[SLUICE_REASON_PORT_ZERO] = 9;
    kernel_.counters_.events_lost = 1;
    const json counters = listing()["counters"];
    EXPECT_EQ(counters["allowed"], 5);
    EXPECT_EQ(counters["refused"], 3);
    EXPECT_EQ(counters["events_lost"], 1);
}

TEST_F(ManagerTest, WarningsNameTheRuleAndTheRemedy) {
    fails_to_resolve("gone.example", "NXDOMAIN from dns 192.0.2.53");
    resolves("inner.example", {"10.0.0.1"});
    const json made =
        create(with_policy("[egress]\nstatic_tcp = [\"gone.example:443\", \"inner.example:443\"]\n"
                           "[[egress.rule]]\nhost = \"old.example\"\nports = \"443\"\n"
                           "expires = 2020-01-01T00:00:00Z\n"));
    EXPECT_THAT(codes(made["warnings"]),
                testing::UnorderedElementsAre("unresolved", "private_address", "expired_rule",
                                              "degraded_kernel"))
        << made["warnings"].dump(1);
    for (const json& one : made["warnings"]) {
        if (one["code"] != "unresolved") continue;
        EXPECT_THAT(one["text"].get<std::string>(), HasSubstr("'gone.example'"));
        EXPECT_THAT(one["text"].get<std::string>(), HasSubstr("NXDOMAIN"));
        EXPECT_EQ(one["rule"], "gone.example:443");
        EXPECT_FALSE(one["remedy"].get<std::string>().empty());
    }
    EXPECT_EQ(listing()["warnings"], made["warnings"]);
    EXPECT_EQ(listing()["installed"]["degraded"],
              json::array(
                  {{{"code", "lsm"}, {"text", "BPF LSM programs are not used in this version"}}}));
}

}  // namespace
}  // namespace sluice::sandbox::test
