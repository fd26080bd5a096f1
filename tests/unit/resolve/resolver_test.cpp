#include "resolve/resolver.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "dns_lab.h"

namespace sluice::resolve {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::DnsLab;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class Resolver : public ::testing::Test {
  protected:
    IpAddress ip(const std::string& text) { return IpAddress::parse(text).value(); }

    // Nothing of the machine's own configuration takes part.
    Options options(std::vector<std::string> servers) {
        return {.deadline = milliseconds(20000),
                .resolv_conf = dir_.path() / "no-resolv.conf",
                .hosts = dir_.path() / "hosts",
                .servers = std::move(servers)};
    }

    ResolvedName ask(DnsLab& lab, const std::string& name) { return ask({lab.server()}, name); }
    ResolvedName ask(std::vector<std::string> servers, const std::string& name) {
        auto resolution = resolve({DnsName{name}}, options(std::move(servers)));
        EXPECT_TRUE(resolution) << resolution.error().message;
        return resolution->names.at(name);
    }

    test::TempDir dir_;
};

TEST_F(Resolver, AsksForBothFamilies) {
    DnsLab lab(R"({"a.test A": ["a.test 300 A 192.0.2.1"],
        "a.test AAAA": ["a.test 60 AAAA 2001:db8::1"]})");
    const auto found = ask(lab, "a.test");
    EXPECT_THAT(found.addresses, ElementsAre(ip("192.0.2.1"), ip("2001:db8::1")));
    EXPECT_EQ(found.ttl, seconds(60));
    EXPECT_EQ(found.answered_by, "dns " + lab.server());
    EXPECT_EQ(found.error, "");
    EXPECT_EQ(lab.asked("a.test", "A"), 1U);
    EXPECT_EQ(lab.asked("a.test", "AAAA"), 1U);
}

TEST_F(Resolver, HostsFileComesFirstAndSaysSo) {
    DnsLab lab(R"({"a.test A": ["a.test 300 A 192.0.2.1"]})");
    const auto hosts = dir_.write("hosts", "198.51.100.7 a.test\n");
    const auto found = ask(lab, "a.test");
    EXPECT_THAT(found.addresses, ElementsAre(ip("198.51.100.7")));
    EXPECT_EQ(found.answered_by, hosts.string());
    EXPECT_EQ(lab.asked("a.test"), 0U);
}

TEST_F(Resolver, FollowsAChainAndTakesItsLeastTtl) {
    DnsLab lab(
        R"({"a.test A": ["a.test 3600 CNAME b.test", "b.test 20 CNAME c.test", "c.test 900 A 192.0.2.1", "c.test 800 A 192.0.2.2"],
        "a.test AAAA": {"authority": [". 60 SOA"]}})");
    const auto found = ask(lab, "a.test");
    EXPECT_THAT(found.addresses, ElementsAre(ip("192.0.2.1"), ip("192.0.2.2")));
    EXPECT_EQ(found.ttl, seconds(20));
    EXPECT_EQ(found.error, "");
}

TEST_F(Resolver, FollowsAChainThatIsSplitOverAnswers) {
    DnsLab lab(R"({"a.test": ["a.test 30 CNAME b.test"],
        "b.test": ["b.test 3600 CNAME c.test"],
        "c.test A": ["c.test 900 A 192.0.2.1"]})");
    const auto found = ask(lab, "a.test");
    EXPECT_THAT(found.addresses, ElementsAre(ip("192.0.2.1")));
    EXPECT_EQ(found.ttl, seconds(30));
}

TEST_F(Resolver, AChainThatLoopsIsAnError) {
    DnsLab lab(R"({"a.test": ["a.test 30 CNAME b.test"],
        "b.test": ["b.test 30 CNAME a.test"]})");
    const auto found = ask(lab, "a.test");
    EXPECT_THAT(found.addresses, IsEmpty());
    EXPECT_THAT(found.error, HasSubstr("loops"));
    EXPECT_THAT(found.answered_by, IsEmpty());
}

TEST_F(Resolver, AChainHasALimitButADeepOneWorks) {
    const auto chain = [](int length) {
        json lines = json::array();
        for (int i = 0; i < length; ++i) {
            lines.push_back("n" + std::to_string(i) + ".test 60 CNAME n" + std::to_string(i + 1) +
                            ".test");
        }
        lines.push_back("n" + std::to_string(length) + ".test 60 A 192.0.2.1");
        json script;
        script["n0.test A"] = lines;
        return script.dump();
    };
    DnsLab deep(chain(12));
    EXPECT_THAT(ask(deep, "n0.test").addresses, SizeIs(1));
    DnsLab endless(chain(40));
    EXPECT_THAT(ask(endless, "n0.test").error, HasSubstr("longer than"));
}

TEST_F(Resolver, RecordsOfOtherNamesAreIgnored) {
    DnsLab lab(
        R"({"a.test A": ["evil.test 60 A 203.0.113.66", "a.test 60 A 192.0.2.1", "xa.test 60 A 203.0.113.67", "a.test 60 AAAA 2001:db8::66"]})");
    EXPECT_THAT(ask(lab, "a.test").addresses, ElementsAre(ip("192.0.2.1")));
}

TEST_F(Resolver, TheSameAddressTwiceIsOne) {
    DnsLab lab(R"({"a.test A": ["a.test 60 A 192.0.2.1", "a.test 60 A 192.0.2.1"],
        "a.test AAAA": ["a.test 60 AAAA ::ffff:192.0.2.1"]})");
    EXPECT_THAT(ask(lab, "a.test").addresses, ElementsAre(ip("192.0.2.1")));
}

TEST_F(Resolver, TwoHundredAddressesComeByTcp) {
    DnsLab lab(R"({"a.test A": {"answer": ["a.test 60 A 198.18.0.1+200"], "truncate": true}})");
    const auto found = ask(lab, "a.test");
    EXPECT_THAT(found.addresses, SizeIs(200));
    EXPECT_EQ(lab.asked("a.test", "A", "tcp"), 1U);
    EXPECT_EQ(found.answered_by, "dns " + lab.server());
}

TEST_F(Resolver, TtlZeroStaysZero) {
    DnsLab lab(R"({"a.test A": ["a.test 0 A 192.0.2.1"]})");
    EXPECT_EQ(ask(lab, "a.test").ttl, seconds(0));
}

TEST_F(Resolver, NxdomainForAaaaLeavesAGoodAAlone) {
    DnsLab lab(R"({"a.test A": ["a.test 60 A 192.0.2.1"],
        "a.test AAAA": {"rcode": 3}})");
    const auto found = ask(lab, "a.test");
    EXPECT_THAT(found.addresses, ElementsAre(ip("192.0.2.1")));
    EXPECT_THAT(found.error, HasSubstr("AAAA: no such name"));
}

TEST_F(Resolver, SaysWhyANameFailed) {
    DnsLab lab(R"({"failing.test": {"rcode": 2},
        "refused.test": {"rcode": 5},
        "garbled.test": {"garbage": true},
        "mail.test TXT": ["mail.test 60 TXT hello"]})");
    EXPECT_THAT(ask(lab, "missing.test").error, HasSubstr("NXDOMAIN"));
    EXPECT_THAT(ask(lab, "failing.test").error, HasSubstr("SERVFAIL"));
    EXPECT_THAT(ask(lab, "refused.test").error, HasSubstr("REFUSED"));
    EXPECT_THAT(ask(lab, "mail.test").error, HasSubstr("has no address"));
    const auto garbled = ask(lab, "garbled.test");
    EXPECT_THAT(garbled.addresses, IsEmpty());
    EXPECT_THAT(garbled.error, HasSubstr("malformed"));
}

TEST_F(Resolver, AFailingFirstServerMeansTheNext) {
    DnsLab failing(R"({"a.test": {"rcode": 2}})");
    DnsLab good(R"({"a.test A": ["a.test 60 A 192.0.2.1"]})");
    const auto found = ask({failing.server(), good.server()}, "a.test");
    EXPECT_THAT(found.addresses, ElementsAre(ip("192.0.2.1")));
    EXPECT_EQ(found.answered_by, "dns " + good.server());
    EXPECT_GE(failing.asked("a.test", "A"), 1U);
}

TEST_F(Resolver, ASilentFirstServerMeansTheNext) {
    DnsLab silent(R"({"a.test": {"silent": true}})");
    DnsLab good(R"({"a.test A": ["a.test 60 A 192.0.2.1"]})");
    const auto found = ask({silent.server(), good.server()}, "a.test");
    EXPECT_THAT(found.addresses, ElementsAre(ip("192.0.2.1")));
    EXPECT_EQ(found.answered_by, "dns " + good.server());
    EXPECT_GE(silent.asked("a.test", "A"), 1U);
}

TEST_F(Resolver, ADeadFirstServerMeansTheNext) {
    std::string dead;
    {
        DnsLab gone("{}");
        dead = gone.server();
    }
    DnsLab good(R"({"a.test A": ["a.test 60 A 192.0.2.1"]})");
    EXPECT_THAT(ask({dead, good.server()}, "a.test").addresses, ElementsAre(ip("192.0.2.1")));
    EXPECT_THAT(ask({dead}, "a.test").error, HasSubstr("unreachable"));
}

TEST_F(Resolver, OneNameThatFailsKeepsTheOthers) {
    json script = json::parse(R"({"silent.test": {"silent": true}, "failing.test": {"rcode": 2}})");
    std::vector<DnsName> names{{"silent.test"}, {"failing.test"}, {"missing.test"}};
    for (int i = 0; i < 500; ++i) {
        const auto name = "n" + std::to_string(i) + ".test";
        script[name + " A"] = json::array({name + " 60 A 192.0.2.1"});
        names.push_back({name});
    }
    DnsLab lab(script.dump());
    auto with = options({lab.server()});
    with.deadline = milliseconds(2000);
    const auto resolution = resolve(names, with);
    ASSERT_TRUE(resolution) << resolution.error().message;
    EXPECT_THAT(resolution->names, SizeIs(names.size()));
    for (int i = 0; i < 500; ++i) {
        const auto& found = resolution->names.at("n" + std::to_string(i) + ".test");
        EXPECT_THAT(found.addresses, SizeIs(1)) << i << ": " << found.error;
    }
    for (const auto* name : {"silent.test", "failing.test", "missing.test"}) {
        EXPECT_THAT(resolution->names.at(name).addresses, IsEmpty()) << name;
        EXPECT_NE(resolution->names.at(name).error, "") << name;
    }
    EXPECT_THAT(resolution->names_of(ip("192.0.2.1")), SizeIs(500));
}

TEST_F(Resolver, TheDeadlineEndsItAndIsNamed) {
    DnsLab silent(R"({"a.test": {"silent": true}})");
    auto with = options({silent.server()});
    with.deadline = milliseconds(150);
    const auto resolution = resolve({DnsName{"a.test"}}, with);
    ASSERT_TRUE(resolution);
    EXPECT_THAT(resolution->names.at("a.test").error, HasSubstr("no answer within 150 ms"));
}

TEST_F(Resolver, TheSearchListIsNotApplied) {
    DnsLab lab(R"({"a.lan.test A": ["a.lan.test 60 A 192.0.2.66"]})");
    auto with = options({lab.server()});
    with.resolv_conf = dir_.write("resolv.conf", "search lan.test\noptions ndots:5\n");
    const auto resolution = resolve({DnsName{"a"}}, with);
    ASSERT_TRUE(resolution);
    EXPECT_THAT(resolution->names.at("a").addresses, IsEmpty());
    EXPECT_EQ(lab.asked("a.lan.test"), 0U);
    EXPECT_GE(lab.asked("a"), 1U);
}

TEST_F(Resolver, AServerThatCannotBeReadIsNamed) {
    const auto resolution = resolve({DnsName{"a.test"}}, options({"not a server"}));
    ASSERT_FALSE(resolution);
    EXPECT_EQ(resolution.error().code, Errc::kInvalid);
    EXPECT_THAT(resolution.error().message, HasSubstr("'not a server'"));
}

TEST_F(Resolver, NoNameIsNoQuestion) {
    const auto resolution = resolve({}, options({}));
    ASSERT_TRUE(resolution);
    EXPECT_THAT(resolution->names, IsEmpty());
}

}  // namespace
}  // namespace sluice::resolve
