#include "os/born_sockets.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <fstream>

#include "own_cgroup.h"

namespace sluice::os {
namespace {

// The kernel's word on a bound TCP socket's birth cgroup, by its port.
std::uint64_t birth_cgroup(std::uint8_t family, std::uint16_t port_be) {
    struct {
        nlmsghdr head;
        inet_diag_req_v2 request;
    } ask{};
    ask.head = {.nlmsg_len = sizeof ask,
                .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
                .nlmsg_seq = 1,
                .nlmsg_pid = 0};
    ask.request.sdiag_family = family;
    ask.request.sdiag_protocol = IPPROTO_TCP;
    ask.request.idiag_states = 1U << TCP_LISTEN;
    const UniqueFd netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    EXPECT_EQ(::send(netlink.get(), &ask, sizeof ask, 0), static_cast<ssize_t>(sizeof ask));
    for (;;) {
        alignas(nlmsghdr) std::array<char, 65536> buffer;
        auto left = static_cast<unsigned>(::recv(netlink.get(), buffer.data(), buffer.size(), 0));
        for (auto* m = reinterpret_cast<nlmsghdr*>(buffer.data()); NLMSG_OK(m, left);
             m = NLMSG_NEXT(m, left)) {
            if (m->nlmsg_type != SOCK_DIAG_BY_FAMILY) return 0;
            const auto* found = static_cast<inet_diag_msg*>(NLMSG_DATA(m));
            if (found->id.idiag_sport != port_be) continue;
            const char* at = reinterpret_cast<const char*>(found) + NLMSG_ALIGN(sizeof *found);
            const char* end = reinterpret_cast<const char*>(m) + m->nlmsg_len;
            while (at + sizeof(nlattr) <= end) {
                nlattr attribute{};
                std::memcpy(&attribute, at, sizeof attribute);
                std::uint64_t id = 0;
                std::memcpy(&id, at + sizeof attribute, sizeof id);
                if (attribute.nla_type == INET_DIAG_CGROUP_ID) return id;
                at += NLA_ALIGN(attribute.nla_len);
            }
        }
    }
}

std::uint16_t listen_port_be(int fd) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    EXPECT_EQ(::listen(fd, 1), 0);
    EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
    // sin_port and sin6_port lie at the same place.
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    return v4.sin_port;
}

class BornSockets : public testing::Test {
  protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "needs root to make cgroups";
        if (!find_cgroup2()) GTEST_SKIP() << "no cgroup v2 is mounted";
    }
};

TEST_F(BornSockets, TheirCgroupIsTheSandboxsNotOurs) {
    test::OwnCgroup own("born");
    const auto sockets = sockets_born_in(*own);
    ASSERT_TRUE(sockets) << sockets.error().message;
    EXPECT_EQ(birth_cgroup(AF_INET, listen_port_be(sockets->tcp4.get())), own->id().value);
    if (sockets->tcp6) {
        EXPECT_EQ(birth_cgroup(AF_INET6, listen_port_be(sockets->tcp6.get())), own->id().value);
    }
    EXPECT_FALSE(own->populated().value()) << "the child is gone and reaped";
    EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG | __WALL), -1) << "no child of ours is left";
}

TEST_F(BornSockets, KindsAndCloseOnExec) {
    test::OwnCgroup own("kinds");
    const auto sockets = sockets_born_in(*own);
    ASSERT_TRUE(sockets) << sockets.error().message;
    int type = 0;
    socklen_t size = sizeof type;
    ASSERT_EQ(::getsockopt(sockets->udp4.get(), SOL_SOCKET, SO_TYPE, &type, &size), 0);
    EXPECT_EQ(type, SOCK_DGRAM);
    EXPECT_EQ(::fcntl(sockets->tcp4.get(), F_GETFD), FD_CLOEXEC);
    EXPECT_EQ(::fcntl(sockets->udp4.get(), F_GETFD), FD_CLOEXEC);
}

TEST_F(BornSockets, AFrozenCgroupIsAnErrorNotAHang) {
    test::OwnCgroup own("frozen");
    std::ofstream(own->path() / "cgroup.freeze") << "1";
    const auto sockets = sockets_born_in(*own);
    std::ofstream(own->path() / "cgroup.freeze") << "0";
    ASSERT_FALSE(sockets);
    EXPECT_THAT(sockets.error().message, testing::HasSubstr("frozen"));
}

}  // namespace
}  // namespace sluice::os
