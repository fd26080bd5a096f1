#include "fixture.h"
#include "sandbox/target.h"

namespace sluice::sandbox::test {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

sluice_verdict allowed(std::uint32_t rule) {
    return {rule, 1, SLUICE_REASON_RULE, 0};
}
sluice_verdict refused(std::uint8_t reason, std::uint32_t rule = 0) {
    return {rule, 0, reason, 0};
}

TEST_F(ManagerTest, ExplainsALiteralFromTheKernelsTables) {
    create(request({"192.0.2.1:443"}));
    kernel_.verdicts_["192.0.2.1 443"] = allowed(id_of("192.0.2.1:443"));
    json out = explain("192.0.2.1:443");
    EXPECT_EQ(out["verdict"], "allow");
    EXPECT_EQ(out["reason"], "rule");
    EXPECT_EQ(out["rule"]["text"], "192.0.2.1:443");
    EXPECT_EQ(out["rule"]["layer"], "command");
    EXPECT_EQ(out["text"], "allowed by 192.0.2.1:443");
    EXPECT_EQ(out["port"], 443);
    EXPECT_EQ(out["remedy"], "");
    EXPECT_EQ(out["generation"], 1);

    out = explain("192.0.2.1:80");
    EXPECT_EQ(out["verdict"], "deny");
    EXPECT_EQ(out["remedy"], "sluice add 192.0.2.1:80");
    EXPECT_THAT(kernel_.asked_, ElementsAre("192.0.2.1 443", "192.0.2.1 80"));
}

TEST_F(ManagerTest, ExplainsANameByItsStoredAddresses) {
    resolves("db.example", {"192.0.2.1", "192.0.2.2"}, std::chrono::seconds(5));
    create(request({"db.example:5432"}));
    resolved_.clear();
    kernel_.verdicts_["192.0.2.2 5432"] = allowed(id_of("db.example:5432"));
    const json out = explain("DB.example.:5432");
    EXPECT_EQ(out["verdict"], "allow");
    EXPECT_EQ(out["host"], "db.example");
    EXPECT_EQ(out["text"], "allowed by db.example:5432, at 1 of its 2 addresses");
    EXPECT_EQ(out["addresses"][0]["verdict"], "deny");
    EXPECT_EQ(out["addresses"][1]["verdict"], "allow");
    EXPECT_EQ(out["addresses"][1]["age_s"], 5);
    EXPECT_TRUE(resolved_.empty()) << "no DNS query";
}

TEST_F(ManagerTest, WithoutAPortTheRulesSuggestThem) {
    resolves("db.example", {"192.0.2.1"});
    create(request({"db.example:5432", "192.0.2.0/24:22"}));
    kernel_.verdicts_["192.0.2.1 5432"] = allowed(id_of("db.example:5432"));
    const json out = explain("db.example");
    EXPECT_EQ(out["verdict"], "allow");
    EXPECT_TRUE(out["port"].is_null());
    EXPECT_THAT(kernel_.asked_, ElementsAre("192.0.2.1 22", "192.0.2.1 5432"));
}

TEST_F(ManagerTest, ANameThatIsNotInThePolicy) {
    create(request({"db.example:5432"}));
    json out = explain("other.example:443");
    EXPECT_EQ(out["verdict"], "deny");
    EXPECT_EQ(out["reason"], "no_rule");
    EXPECT_EQ(out["remedy"], "sluice add other.example:443");
    out = explain("other.example");
    EXPECT_EQ(out["remedy"], "sluice add other.example:443");
    EXPECT_THAT(out["text"].get<std::string>(), HasSubstr("or the port you need"));
}

TEST_F(ManagerTest, ANameThatDidNotResolve) {
    fails_to_resolve("db.example", "SERVFAIL");
    create(request({"db.example:5432"}));
    const json out = explain("db.example:5432");
    EXPECT_EQ(out["verdict"], "deny");
    EXPECT_EQ(out["reason"], "unresolved");
    EXPECT_THAT(out["text"].get<std::string>(), HasSubstr("SERVFAIL"));
}

TEST_F(ManagerTest, ARelayedNameSaysThatNothingServesIt) {
    create(with_policy("[egress]\nrelayed = [\"*.example.com:443\"]\n"));
    const json out = explain("a.example.com:443");
    EXPECT_EQ(out["verdict"], "deny");
    EXPECT_EQ(out["reason"], "relayed");
    EXPECT_THAT(out["text"].get<std::string>(), HasSubstr("*.example.com:443"));
}

TEST_F(ManagerTest, AHostDenyNamesItsEntry) {
    create(request());
    kernel_.verdicts_["169.254.169.254 80"] =
        refused(SLUICE_REASON_HOST_DENY, id_of("169.254.169.254:*"));
    const json out = explain("169.254.169.254:80");
    EXPECT_EQ(out["rule"]["text"], "169.254.169.254:*");
    EXPECT_EQ(out["rule"]["layer"], "builtin");
    EXPECT_THAT(out["remedy"].get<std::string>(), HasSubstr("operator"));
}

TEST_F(ManagerTest, LocalhostIsBothLoopbacksAndAnAddressItsCanonicalForm) {
    create(request());
    explain("localhost:80");
    explain("0.0.0.0:80");
    EXPECT_THAT(kernel_.asked_, ElementsAre("127.0.0.1 80", "::1 80", "127.0.0.1 80"));
}

TEST_F(ManagerTest, CountsTheRefusalsSoFar) {
    create(request());
    kernel::Denial one;
    one.address = ip("192.0.2.1");
    one.port = 443;
    one.reason = SLUICE_REASON_NO_RULE;
    one.count = 4;
    one.last = host_.now();
    kernel::Denial asked = one;
    asked.address = ip("192.0.2.53");
    asked.name = "x.example";
    kernel_.denials_ = {one, asked};
    EXPECT_EQ(explain("192.0.2.1:443")["denials"]["count"], 4);
    EXPECT_EQ(explain("192.0.2.1:443")["denials"]["last"], "2025-12-18T00:00:00Z");
    EXPECT_EQ(explain("192.0.2.1:80")["denials"]["count"], 0);
    EXPECT_TRUE(explain("192.0.2.1:80")["denials"]["last"].is_null());
    EXPECT_EQ(explain("192.0.2.1")["denials"]["count"], 4);
    EXPECT_EQ(explain("x.example:443")["denials"]["count"], 4);
}

TEST(Target, TakesOneDestination) {
    const auto host = [](const char* text) {
        const auto parsed = Target::parse(text);
        return parsed ? parsed->host_text() + " " + std::to_string(parsed->port.value_or(0))
                      : "error: " + parsed.error().message;
    };
    EXPECT_EQ(host("Example.com:443"), "example.com 443");
    EXPECT_EQ(host("example.com"), "example.com 0");
    EXPECT_EQ(host("192.0.2.1"), "192.0.2.1 0");
    EXPECT_EQ(host("[2001:db8::1]:443"), "2001:db8::1 443");
    EXPECT_EQ(host("[2001:db8::1]"), "2001:db8::1 0");
    EXPECT_EQ(host("2001:db8::1"), "2001:db8::1 0");
    for (const char* text : {"", "*.example.com:443", "10.0.0.0/8:22", "example.com:22,443",
                             "example.com:1-5", "example.com:*", "127.1:80", "example.com:"}) {
        EXPECT_THAT(host(text), HasSubstr("error: ")) << text;
    }
}

}  // namespace
}  // namespace sluice::sandbox::test
