// What a refusal leaves behind: exact counters, one aggregated entry, an event, the name asked.
#include <arpa/inet.h>
#include <sys/socket.h>

#include <cstring>

#include "bpf/fixture.h"

namespace sluice {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::StartsWith;

// A DNS query as a resolver sends it: header, one question, type A.
std::string dns_query(const std::vector<std::string>& labels) {
    std::string wire("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00", 12);
    for (const auto& label : labels) wire += static_cast<char>(label.size()) + label;
    return wire + std::string("\0\0\1\0\1", 5);
}

int send_dns(const std::string& wire) {
    const UniqueFd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(53);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) return 200;
    return send(fd.get(), wire.data(), wire.size(), MSG_NOSIGNAL) < 0 ? errno : 0;
}

}  // namespace

TEST_F(KernelTest, RefusalsAggregateByDestinationAndAreCountedExactly) {
    attach();
    apply({"192.0.2.1:443"});
    inside([] {
        for (int i = 0; i < 500; i++) connect_to("192.0.2.9", 80);
        connect_to("192.0.2.1", 80);
        return 0;
    });
    const auto counters = enforcer_->counters(*sandbox_);
    ASSERT_OK(counters);
    EXPECT_EQ(counters->by_reason[SLUICE_REASON_NO_RULE], 500u);
    EXPECT_EQ(counters->by_reason[SLUICE_REASON_WRONG_PORT], 1u);
    const auto denials = enforcer_->denials(*sandbox_);
    ASSERT_OK(denials);
    ASSERT_EQ(denials->size(), 2u);
    const auto& last = (*denials)[0];
    EXPECT_EQ(last.reason, SLUICE_REASON_WRONG_PORT);
    EXPECT_EQ(last.count, 1u);
    const auto& many = (*denials)[1];
    EXPECT_EQ(many.address.to_string(), "192.0.2.9");
    EXPECT_EQ(many.port, 80);
    EXPECT_EQ(many.count, 500u);
    EXPECT_EQ(many.hook, SLUICE_HOOK_CONNECT);
    EXPECT_EQ(many.comm, "sluice_bpf_test");  // the kernel keeps 15 characters
    EXPECT_NE(many.pid, 0u);
    EXPECT_LE(many.first, many.last);
}

TEST_F(KernelTest, EventsAreLimitedAndTheRestIsCounted) {
    attach();
    apply({});
    constexpr std::uint64_t kAttempts = 2000;
    inside([] {
        for (std::uint64_t i = 0; i < kAttempts; i++) connect_to("192.0.2.9", 80);
        return 0;
    });
    std::uint64_t seen = 0;
    ASSERT_OK(enforcer_->read_events([&](const sluice_event& event) {
        seen++;
        EXPECT_EQ(event.sandbox_id, cgroup_->id().value);
        EXPECT_EQ(event.what.reason, SLUICE_REASON_NO_RULE);
        EXPECT_EQ(event.what.port_be, htons(80));
    }));
    const auto counters = enforcer_->counters(*sandbox_);
    ASSERT_OK(counters);
    EXPECT_GT(seen, 0u);
    EXPECT_GT(counters->events_limited, 0u);
    EXPECT_EQ(seen + counters->events_limited + counters->events_lost, kAttempts);
}

TEST_F(KernelTest, RefusedDnsQueryKeepsTheNameAskedAndWho) {
    attach();
    apply({});
    EXPECT_EQ(inside([] { return send_dns(dns_query({"Registry", "example"})); }), EPERM);
    EXPECT_EQ(inside([] { return send_dns(dns_query({"a\x1b[2J", "example"})); }), EPERM);
    const auto denials = enforcer_->denials(*sandbox_);
    ASSERT_OK(denials);
    ASSERT_EQ(denials->size(), 2u);
    EXPECT_EQ((*denials)[1].name, "registry.example");
    EXPECT_EQ((*denials)[1].reason, SLUICE_REASON_DNS);
    EXPECT_EQ((*denials)[1].comm, "sluice_bpf_test");
    EXPECT_NE((*denials)[1].pid, 0u);
    EXPECT_EQ((*denials)[0].name, "a??2j.example");
}

TEST_F(KernelTest, OddDnsQueriesAreRefusedAndDoNoHarm) {
    attach();
    apply({});
    const std::string header = dns_query({}).substr(0, 12);
    const std::string long_label(63, 'a');
    for (const std::string& wire :
         {std::string("x"), header, header + '\x3f', header + '\xc0' + '\x0c', header + '\x40',
          dns_query({long_label, long_label, long_label}), std::string(1400, '\x01')})
        EXPECT_EQ(inside([&] { return send_dns(wire); }), EPERM);
    const auto denials = enforcer_->denials(*sandbox_);
    ASSERT_OK(denials);
    for (const auto& denial : *denials)
        for (const char c : denial.name) EXPECT_TRUE(std::isalnum(c) || std::strchr("._-?", c));
}

TEST_F(KernelTest, OnlyPlainSocketsCanBeMade) {
    attach();
    apply({});
    struct Case {
        int family, type, protocol, expected;
    };
    const std::vector<Case> cases{
        {AF_INET, SOCK_STREAM, 0, 0},
        {AF_INET6, SOCK_STREAM, 0, 0},
        {AF_INET, SOCK_DGRAM, 0, 0},
        {AF_INET6, SOCK_DGRAM, IPPROTO_UDP, 0},
        {AF_UNIX, SOCK_STREAM, 0, 0},
        {AF_INET, SOCK_RAW, IPPROTO_ICMP, EPERM},
        {AF_INET, SOCK_RAW, IPPROTO_RAW, EPERM},
        {AF_INET6, SOCK_RAW, IPPROTO_ICMPV6, EPERM},
        {AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE, EPERM},
    };
    for (const auto& c : cases) {
        EXPECT_EQ(inside([&] {
                      const UniqueFd fd(socket(c.family, c.type | SOCK_CLOEXEC, c.protocol));
                      return fd ? 0 : errno;
                  }),
                  c.expected)
            << c.family << "/" << c.type << "/" << c.protocol;
    }
    const auto counters = enforcer_->counters(*sandbox_);
    ASSERT_OK(counters);
    EXPECT_EQ(counters->by_reason[SLUICE_REASON_SOCKET_TYPE], 4u);
}

}  // namespace sluice
