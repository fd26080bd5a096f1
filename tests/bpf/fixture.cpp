#include "bpf/fixture.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "os/bpffs.h"

namespace sluice {
namespace {

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t size = 0;
    [[nodiscard]] const sockaddr* get() const {
        return reinterpret_cast<const sockaddr*>(&storage);
    }
};

SocketAddress to_sockaddr(const std::string& address, std::uint16_t port) {
    SocketAddress result;
    auto* v4 = reinterpret_cast<sockaddr_in*>(&result.storage);
    auto* v6 = reinterpret_cast<sockaddr_in6*>(&result.storage);
    if (inet_pton(AF_INET, address.c_str(), &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        result.size = sizeof *v4;
    } else if (inet_pton(AF_INET6, address.c_str(), &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        result.size = sizeof *v6;
    }
    return result;
}

UniqueFd socket_for(const SocketAddress& to, int type) {
    return UniqueFd(socket(to.storage.ss_family, type | SOCK_CLOEXEC, 0));
}

}  // namespace

Policy policy_of(const std::vector<std::string>& rules, const std::vector<std::string>& denies) {
    LayerRules layer;
    for (const auto& text : rules) {
        auto endpoint = Endpoint::parse(text);
        EXPECT_TRUE(endpoint.has_value()) << text;
        Rule rule;
        rule.endpoint = *endpoint;
        rule.sources.push_back(
            {.layer = Layer::kCommand, .file = "--allow", .line = 0, .detail = {}});
        layer.rules.push_back(std::move(rule));
    }
    for (const auto& text : denies) {
        auto endpoint = Endpoint::parse(text);
        EXPECT_TRUE(endpoint.has_value()) << text;
        DenyEntry deny;
        deny.prefix = std::get<IpPrefix>(endpoint->host);
        deny.ports = endpoint->ports;
        deny.source.layer = Layer::kBaseline;
        layer.denies.push_back(std::move(deny));
    }
    return join({layer}, std::chrono::system_clock::now());
}

void KernelTest::SetUp() {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    auto mounted = os::find_or_mount_bpffs();
    ASSERT_OK(mounted);
    auto root = os::find_cgroup2();
    ASSERT_OK(root);
    const auto name = "sluice-test-" + std::to_string(getpid());
    pins_ = mounted->path / name;
    auto enforcer = kernel::Enforcer::load({.pin_dir = pins_, .pool = 8});
    ASSERT_OK(enforcer);
    enforcer_.emplace(std::move(*enforcer));
    auto cgroup = os::Cgroup::create(*root / name);
    ASSERT_OK(cgroup);
    cgroup_.emplace(std::move(*cgroup));
}

void KernelTest::TearDown() {
    if (sandbox_) {
        EXPECT_TRUE(enforcer_->detach(std::move(*sandbox_)).has_value());
    }
    sandbox_.reset();
    if (cgroup_) {
        EXPECT_TRUE(cgroup_->kill_all().has_value());
        (void)cgroup_->wait_empty(std::chrono::seconds(5));
        EXPECT_TRUE(cgroup_->remove().has_value());
    }
    enforcer_.reset();
    if (!pins_.empty()) std::filesystem::remove(pins_);
}

void KernelTest::attach() {
    auto attached = enforcer_->attach(cgroup_->dir(), cgroup_->id());
    ASSERT_OK(attached);
    sandbox_.emplace(std::move(*attached));
}

void KernelTest::apply(const std::vector<std::string>& rules,
                       const std::vector<std::string>& denies) {
    auto planned = plan(policy_of(rules, denies), {}, ids_);
    ASSERT_OK(planned);
    ASSERT_OK(enforcer_->apply(*sandbox_, *planned));
}

int KernelTest::inside(const std::function<int()>& act) {
    const pid_t child = fork();
    if (child == 0) {
        if (!cgroup_->add(0)) _exit(250);
        _exit(act());
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

Bound listen_on(const std::string& address, int type, std::uint16_t port) {
    auto to = to_sockaddr(address, port);
    Bound bound{socket_for(to, type)};
    const int on = 1;  // a port that a closed listener had is free at once
    if (port != 0) setsockopt(bound.fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    EXPECT_EQ(bind(bound.fd.get(), to.get(), to.size), 0) << address << std::strerror(errno);
    if (type == SOCK_STREAM) {
        EXPECT_EQ(listen(bound.fd.get(), 64), 0);
    }
    socklen_t size = sizeof to.storage;
    getsockname(bound.fd.get(), reinterpret_cast<sockaddr*>(&to.storage), &size);
    bound.port = ntohs(reinterpret_cast<sockaddr_in*>(&to.storage)->sin_port);
    return bound;
}

int connect_to(const std::string& address, std::uint16_t port, int type) {
    const auto to = to_sockaddr(address, port);
    const UniqueFd fd = socket_for(to, type);
    // Close with a reset: no TIME_WAIT, so that a loop does not run out of ports.
    const linger reset{1, 0};
    if (type == SOCK_STREAM) setsockopt(fd.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    return connect(fd.get(), to.get(), to.size) == 0 ? 0 : errno;
}

int connect_socket(int fd, const std::string& address, std::uint16_t port) {
    const auto to = to_sockaddr(address, port);
    return connect(fd, to.get(), to.size) == 0 ? 0 : errno;
}

int send_socket(int fd, const std::string& address, std::uint16_t port) {
    const auto to = to_sockaddr(address, port);
    return sendto(fd, "x", 1, MSG_NOSIGNAL, to.get(), to.size) == 1 ? 0 : errno;
}

int send_to(const std::string& address, std::uint16_t port) {
    const UniqueFd fd = socket_for(to_sockaddr(address, port), SOCK_DGRAM);
    return send_socket(fd.get(), address, port);
}

}  // namespace sluice
