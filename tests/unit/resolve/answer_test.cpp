#include "resolve/answer.h"

#include <gmock/gmock.h>
#include <ldns/ldns.h>

#include <cstdlib>

namespace sluice::resolve {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Bytes = std::vector<std::uint8_t>;

// An answer packet with these records, given as zone file lines.
Bytes packet(const std::vector<std::string>& answer,
             const std::vector<std::string>& authority = {}) {
    ldns_pkt* pkt = ldns_pkt_new();
    const auto push = [&](const std::vector<std::string>& lines, ldns_pkt_section section) {
        for (const auto& line : lines) {
            ldns_rr* rr = nullptr;
            EXPECT_EQ(ldns_rr_new_frm_str(&rr, line.c_str(), 0, nullptr, nullptr), LDNS_STATUS_OK)
                << line;
            ldns_pkt_push_rr(pkt, section, rr);
        }
    };
    push(answer, LDNS_SECTION_ANSWER);
    push(authority, LDNS_SECTION_AUTHORITY);
    std::uint8_t* wire = nullptr;
    std::size_t size = 0;
    EXPECT_EQ(ldns_pkt2wire(&wire, pkt, &size), LDNS_STATUS_OK);
    Bytes bytes(wire, wire + size);
    std::free(wire);
    ldns_pkt_free(pkt);
    return bytes;
}

IpAddress ip(const char* text) {
    return IpAddress::parse(text).value();
}

TEST(Answer, TheOrderOfRecordsDoesNotMatter) {
    const auto answer =
        parse_answer(packet({"c.test. 9 IN A 192.0.2.1", "b.test. 8 IN CNAME c.test.",
                             "A.test. 7 IN CNAME B.TEST."}),
                     "a.test", RecordType::kA, {});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_THAT(answer->addresses, ElementsAre(ip("192.0.2.1")));
    EXPECT_EQ(answer->chain.ttl, seconds(7));
    EXPECT_THAT(answer->ask_next, IsEmpty());
}

TEST(Answer, OnlyTheFamilyThatWasAsked) {
    const auto bytes = packet({"a.test. 9 IN A 192.0.2.1", "a.test. 9 IN AAAA 2001:db8::1"});
    EXPECT_THAT(parse_answer(bytes, "a.test", RecordType::kAaaa, {})->addresses,
                ElementsAre(ip("2001:db8::1")));
}

TEST(Answer, AnAliasWithoutAddressesIsAskedNextUnlessTheServerSaysNo) {
    const auto open =
        parse_answer(packet({"a.test. 9 IN CNAME b.test."}), "a.test", RecordType::kA, {});
    EXPECT_EQ(open->ask_next, "b.test");
    const auto closed = parse_answer(packet({"a.test. 9 IN CNAME b.test."},
                                            {"test. 60 IN SOA ns.test. root.test. 1 60 60 60 0"}),
                                     "a.test", RecordType::kA, {});
    EXPECT_THAT(closed->ask_next, IsEmpty());
    EXPECT_THAT(closed->addresses, IsEmpty());
}

TEST(Answer, ALoopThroughEarlierAnswersIsSeen) {
    const auto answer = parse_answer(packet({"b.test. 9 IN CNAME a.test."}), "b.test",
                                     RecordType::kA, Chain{.names = {"a.test"}, .ttl = seconds(5)});
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().message, HasSubstr("loops at 'a.test'"));
}

TEST(Answer, ATtlBeyondTheLimitCountsAsZero) {
    const auto answer =
        parse_answer(packet({"a.test. 2147483648 IN A 192.0.2.1"}), "a.test", RecordType::kA, {});
    EXPECT_EQ(answer->chain.ttl, seconds(0));
}

TEST(Answer, AnotherClassIsNotAnAddress) {
    const auto answer =
        parse_answer(packet({"a.test. 9 CH A 192.0.2.1"}), "a.test", RecordType::kA, {});
    ASSERT_TRUE(answer);
    EXPECT_THAT(answer->addresses, IsEmpty());
}

TEST(Answer, EveryCutOfAPacketIsAnErrorOrHarmless) {
    const auto bytes = packet({"a.test. 9 IN CNAME b.test.", "b.test. 9 IN A 192.0.2.1"});
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto answer =
            parse_answer(std::span(bytes).first(size), "a.test", RecordType::kA, {});
        EXPECT_TRUE(!answer || answer->addresses.empty()) << size;
    }
}

}  // namespace
}  // namespace sluice::resolve
