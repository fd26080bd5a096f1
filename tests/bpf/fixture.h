// A loaded Enforcer and one attached cgroup, and ways to act from inside it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel/enforcer.h"
#include "os/born_sockets.h"
#include "os/cgroup.h"
#include "policy/plan.h"

namespace sluice {

#define ASSERT_OK(expr)                                             \
    do {                                                            \
        auto&& ok_ = (expr);                                        \
        ASSERT_TRUE(static_cast<bool>(ok_)) << ok_.error().message; \
    } while (0)

// Kernel rules and (baseline) denies as text: "10.0.0.0/8:22".
Policy policy_of(const std::vector<std::string>& rules,
                 const std::vector<std::string>& denies = {});

class KernelTest : public ::testing::Test {
  protected:
    void SetUp() override;
    void TearDown() override;

    void attach();
    void apply(const std::vector<std::string>& rules, const std::vector<std::string>& denies = {});
    // Runs `act` in a child inside the cgroup; its return value (0..255) is the result. -1: it
    // died.
    int inside(const std::function<int()>& act);

    std::filesystem::path pins_;
    std::optional<os::Cgroup> cgroup_;
    std::optional<kernel::Enforcer> enforcer_;
    std::optional<kernel::Attachment> sandbox_;
    RuleIds ids_;
};

// A listening (or bound UDP) socket on loopback; port 0: of the kernel's choice.
struct Bound {
    UniqueFd fd;
    std::uint16_t port = 0;
};
Bound listen_on(const std::string& address, int type = SOCK_STREAM, std::uint16_t port = 0);
// connect() on a fresh blocking socket: 0, or errno. An IPv4 address on an IPv6 socket when
// `mapped`.
int connect_to(const std::string& address, std::uint16_t port, int type = SOCK_STREAM);
// The same on a socket that is there already.
int connect_socket(int fd, const std::string& address, std::uint16_t port);
int send_socket(int fd, const std::string& address, std::uint16_t port);
int send_to(const std::string& address, std::uint16_t port);  // unconnected UDP: 0 or errno

}  // namespace sluice
