// Loopback: what the sandbox opened itself is its own; what the host opened needs a rule.
#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "bpf/fixture.h"

namespace sluice {
namespace {

// Opens a listener inside, connects to it at `address` and passes one byte each way.
int own_server(const std::string& bind_to, const std::string& address) {
    const Bound server = listen_on(bind_to);
    const bool v6 = address.find(':') != std::string::npos;
    const UniqueFd client(socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_storage to{};
    socklen_t size = sizeof(sockaddr_in);
    auto* v4_to = reinterpret_cast<sockaddr_in*>(&to);
    auto* v6_to = reinterpret_cast<sockaddr_in6*>(&to);
    if (v6) {
        v6_to->sin6_family = AF_INET6;
        v6_to->sin6_port = htons(server.port);
        inet_pton(AF_INET6, address.c_str(), &v6_to->sin6_addr);
        size = sizeof(sockaddr_in6);
    } else {
        v4_to->sin_family = AF_INET;
        v4_to->sin_port = htons(server.port);
        inet_pton(AF_INET, address.c_str(), &v4_to->sin_addr);
    }
    if (connect(client.get(), reinterpret_cast<sockaddr*>(&to), size) != 0) return errno;
    const UniqueFd accepted(accept4(server.fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
    char byte = 'a';
    if (send(client.get(), &byte, 1, MSG_NOSIGNAL) != 1) return 201;
    if (recv(accepted.get(), &byte, 1, 0) != 1) return 202;
    if (send(accepted.get(), "b", 1, MSG_NOSIGNAL) != 1) return 203;
    const timeval limit{5, 0};  // a lost reply must fail the test, not hang it
    setsockopt(client.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (recv(client.get(), &byte, 1, 0) != 1 || byte != 'b') return 204;
    return 0;
}

// listen() without bind(): the kernel chooses a port and runs no bind hook.
int server_without_bind() {
    const UniqueFd server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (listen(server.get(), 1) != 0) return 201;
    sockaddr_in at{};
    socklen_t size = sizeof at;
    getsockname(server.get(), reinterpret_cast<sockaddr*>(&at), &size);
    return connect_to("127.0.0.1", ntohs(at.sin_port));
}

int own_datagrams() {
    const Bound server = listen_on("127.0.0.1", SOCK_DGRAM);
    const UniqueFd client(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(server.port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{5, 0};
    for (const int fd : {server.fd.get(), client.get()})
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    // Unconnected first, then connected: the reply must find both kinds of client.
    for (const bool connected : {false, true}) {
        if (connected && connect(client.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
            return 201;
        const auto sent = connected ? send(client.get(), "q", 1, 0)
                                    : sendto(client.get(), "q", 1, 0,
                                             reinterpret_cast<sockaddr*>(&to), sizeof to);
        if (sent != 1) return errno;
        char byte = 0;
        sockaddr_in from{};
        socklen_t size = sizeof from;
        if (recvfrom(server.fd.get(), &byte, 1, 0, reinterpret_cast<sockaddr*>(&from), &size) != 1)
            return 202;
        if (sendto(server.fd.get(), "a", 1, 0, reinterpret_cast<sockaddr*>(&from), size) != 1)
            return errno;
        if (recv(client.get(), &byte, 1, 0) != 1 || byte != 'a') return 203;
    }
    return 0;
}

}  // namespace

TEST_F(KernelTest, OwnListenersOnLoopbackAreReachable) {
    attach();
    apply({});
    EXPECT_EQ(inside([] { return own_server("127.0.0.1", "127.0.0.1"); }), 0);
    EXPECT_EQ(inside([] { return own_server("0.0.0.0", "127.0.0.1"); }), 0);
    EXPECT_EQ(inside([] { return own_server("0.0.0.0", "127.0.0.2"); }), 0);
    EXPECT_EQ(inside([] { return own_server("0.0.0.0", "0.0.0.0"); }), 0);
    EXPECT_EQ(inside([] { return own_server("::1", "::1"); }), 0);
    EXPECT_EQ(inside([] { return own_server("::", "::1"); }), 0);
    EXPECT_EQ(inside([] { return own_server("::", "::"); }), 0);
    EXPECT_EQ(inside([] { return own_server("::", "127.0.0.1"); }), 0);
    EXPECT_EQ(inside([] { return own_server("::", "::ffff:127.0.0.1"); }), 0);
    EXPECT_EQ(inside(server_without_bind), 0);
    EXPECT_EQ(inside(own_datagrams), 0);
}

TEST_F(KernelTest, OwnMptcpListenerIsReachable) {
    const UniqueFd probe(socket(AF_INET, SOCK_STREAM, 262));
    if (!probe) GTEST_SKIP() << "kernel config: CONFIG_MPTCP is off";
    attach();
    apply({});
    EXPECT_EQ(inside([] {
                  const UniqueFd server(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 262));
                  sockaddr_in at{};
                  at.sin_family = AF_INET;
                  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
                  socklen_t size = sizeof at;
                  if (bind(server.get(), reinterpret_cast<sockaddr*>(&at), size) != 0) return 201;
                  if (listen(server.get(), 1) != 0) return 202;
                  getsockname(server.get(), reinterpret_cast<sockaddr*>(&at), &size);
                  return connect_to("127.0.0.1", ntohs(at.sin_port));
              }),
              0);
}

TEST_F(KernelTest, HostServicesOnLoopbackNeedARule) {
    const Bound v4 = listen_on("0.0.0.0"), v6 = listen_on("::1");
    const Bound udp = listen_on("127.0.0.1", SOCK_DGRAM);
    attach();
    apply({});
    for (const std::string address :
         {"127.0.0.1", "127.0.0.2", "0.0.0.0", "::ffff:127.0.0.1", "::ffff:0.0.0.0"})
        EXPECT_EQ(inside([&] { return connect_to(address, v4.port); }), EPERM) << address;
    EXPECT_EQ(inside([&] { return connect_to("::1", v6.port); }), EPERM);
    EXPECT_EQ(inside([&] { return connect_to("::", v6.port); }), EPERM);
    EXPECT_EQ(inside([&] { return send_to("127.0.0.1", udp.port); }), EPERM);

    apply({"127.0.0.1:" + std::to_string(v4.port), "[::1]:" + std::to_string(v6.port)});
    for (const std::string address : {"127.0.0.1", "0.0.0.0", "::ffff:127.0.0.1"})
        EXPECT_EQ(inside([&] { return connect_to(address, v4.port); }), 0) << address;
    EXPECT_EQ(inside([&] { return connect_to("127.0.0.2", v4.port); }), EPERM);
    EXPECT_EQ(inside([&] { return connect_to("::1", v6.port); }), 0);
    EXPECT_EQ(inside([&] { return connect_to("::", v6.port); }), 0);
    EXPECT_EQ(inside([&] { return send_to("127.0.0.1", udp.port); }), EPERM);
}

TEST_F(KernelTest, NobodyListeningOnLoopbackIsConnectionRefused) {
    std::uint16_t port = 0;
    {
        const Bound gone = listen_on("127.0.0.1");
        port = gone.port;
    }
    attach();
    apply({});
    for (const std::string address : {"127.0.0.1", "127.0.0.9", "0.0.0.0", "::1", "::"})
        EXPECT_EQ(inside([&] { return connect_to(address, port); }), ECONNREFUSED) << address;
}

// A SYN that finds its own listener's queue full is sent again later, when the port may be
// another's.
TEST_F(KernelTest, WaitingConnectDoesNotReachTheNextOwnerOfThePort) {
    attach();
    apply({});
    int to_parent[2], to_child[2];
    ASSERT_EQ(pipe2(to_parent, O_CLOEXEC), 0);
    ASSERT_EQ(pipe2(to_child, O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
        if (!cgroup_->add(0)) _exit(250);
        Bound own = listen_on("127.0.0.1");
        if (listen(own.fd.get(), 0) != 0) _exit(251);
        // More than a queue of zero takes: the later ones keep sending their SYN.
        std::vector<UniqueFd> waiting;
        for (int i = 0; i < 6; i++) {
            waiting.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
            connect_socket(waiting.back().get(), "127.0.0.1", own.port);
        }
        own.fd.reset();
        if (write(to_parent[1], &own.port, sizeof own.port) != sizeof own.port) _exit(252);
        char byte = 0;
        _exit(read(to_child[0], &byte, 1) == 1 ? 0 : 253);
    }
    std::uint16_t port = 0;
    ASSERT_EQ(read(to_parent[0], &port, sizeof port), static_cast<ssize_t>(sizeof port));
    const Bound host = listen_on("127.0.0.1", SOCK_STREAM, port);
    pollfd waits{.fd = host.fd.get(), .events = POLLIN, .revents = 0};
    // Retransmissions come after 1 and 3 seconds (RFC 6298); a third would take until 7.
    EXPECT_EQ(poll(&waits, 1, 4000), 0) << "the host's new service got a connection";
    EXPECT_EQ(write(to_child[1], "", 1), 1);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    for (const int fd : {to_parent[0], to_parent[1], to_child[0], to_child[1]}) close(fd);
}

// The kernel delivers a broadcast to every socket on the port, so one of them being ours is not
// enough.
TEST_F(KernelTest, LoopbackBroadcastReachesNobody) {
    attach();
    apply({});
    EXPECT_EQ(inside([] {
                  const Bound own = listen_on("0.0.0.0", SOCK_DGRAM);
                  const UniqueFd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
                  const int on = 1;
                  setsockopt(fd.get(), SOL_SOCKET, SO_BROADCAST, &on, sizeof on);
                  return send_socket(fd.get(), "127.255.255.255", own.port);
              }),
              EPERM);
}

TEST_F(KernelTest, LookupAsksTheKernelWhoListensOnLoopback) {
    const Bound host = listen_on("127.0.0.1");
    attach();
    apply({});
    const auto made = os::sockets_born_in(*cgroup_);
    ASSERT_OK(made);
    ASSERT_EQ(listen(made->tcp4.get(), 1), 0);  // the kernel chooses a port
    sockaddr_in at{};
    socklen_t size = sizeof at;
    getsockname(made->tcp4.get(), reinterpret_cast<sockaddr*>(&at), &size);
    std::uint16_t nobody = 0;
    { nobody = listen_on("127.0.0.1").port; }
    const auto reason_at = [&](std::uint16_t port) -> int {
        const auto answer = enforcer_->lookup(*sandbox_, IpAddress::v4(0x7f000001), port);
        return answer ? answer->reason : -1;
    };
    EXPECT_EQ(reason_at(host.port), SLUICE_REASON_LOOPBACK_SERVICE);
    EXPECT_EQ(reason_at(ntohs(at.sin_port)), SLUICE_REASON_OWN_LISTENER);
    EXPECT_EQ(reason_at(nobody), SLUICE_REASON_NO_LISTENER);
}

TEST_F(KernelTest, UdpConnectForAddressSortingPassesAndSendingDoesNot) {
    attach();
    apply({"192.0.2.1:443", "198.51.100.0/24:22"});
    const auto sort = [&](const std::string& address, std::uint16_t port) {
        return inside([&] { return connect_to(address, port, SOCK_DGRAM); });
    };
    // No route to these in the test's host is as good as success: the hook let it through.
    EXPECT_NE(sort("192.0.2.1", 0), EPERM);
    EXPECT_NE(sort("192.0.2.1", 443), EPERM);
    EXPECT_NE(sort("198.51.100.7", 9), EPERM);
    EXPECT_EQ(sort("127.0.0.1", 65535), 0);
    EXPECT_EQ(sort("192.0.2.2", 443), EPERM);
    EXPECT_EQ(sort("192.0.2.1", 53), EPERM);
    EXPECT_EQ(inside([&] { return send_to("192.0.2.1", 443); }), EPERM);
}

}  // namespace sluice
