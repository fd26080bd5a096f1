// The live probe must notice whatever is missing.
#include <bpf/bpf.h>

#include "bpf/fixture.h"

namespace sluice {
namespace {

kernel::BornSockets born_in(const os::Cgroup& cgroup) {
    auto made = os::sockets_born_in(cgroup);
    EXPECT_TRUE(made.has_value());
    kernel::BornSockets sockets;
    sockets.tcp4 = std::move(made->tcp4);
    sockets.udp4 = std::move(made->udp4);
    sockets.tcp6 = std::move(made->tcp6);
    return sockets;
}

// As host root could: the link stays open and pinned, but its program no longer runs.
bool detach_pinned_link(const std::filesystem::path& pin) {
    const UniqueFd link(bpf_obj_get(pin.c_str()));
    return link && bpf_link_detach(link.get()) == 0;
}

}  // namespace

TEST_F(KernelTest, ProbePassesAndLeavesNoDenialBehind) {
    attach();
    apply({});
    ASSERT_OK(enforcer_->probe(*sandbox_, born_in(*cgroup_)));
    const auto denials = enforcer_->denials(*sandbox_);
    ASSERT_OK(denials);
    EXPECT_TRUE(denials->empty());
}

TEST_F(KernelTest, ProbeFailsBeforeTheFirstPolicy) {
    attach();
    const auto probed = enforcer_->probe(*sandbox_, born_in(*cgroup_));
    ASSERT_FALSE(probed.has_value());
    EXPECT_EQ(probed.error().code, Errc::kLost);
}

TEST_F(KernelTest, ProbeFailsWhicheverHookIsMissing) {
    const auto hook_names = {"egress",   "sock_create", "post_bind4", "post_bind6", "sockops",
                             "sendmsg4", "sendmsg6",    "connect4",   "connect6"};
    for (const std::string hook : hook_names) {
        attach();
        apply({});
        ASSERT_OK(enforcer_->probe(*sandbox_, born_in(*cgroup_)));
        const auto pin = pins_ / std::to_string(cgroup_->id().value) / hook;
        ASSERT_TRUE(detach_pinned_link(pin));
        const auto probed = enforcer_->probe(*sandbox_, born_in(*cgroup_));
        ASSERT_FALSE(probed.has_value()) << hook;
        EXPECT_EQ(probed.error().code, Errc::kLost);
        EXPECT_THAT(probed.error().message, ::testing::HasSubstr(hook));
        ASSERT_OK(enforcer_->detach(std::move(*sandbox_)));
        sandbox_.reset();
    }
}

// The hooks are all there, but a socket that was not born in the sandbox is not refused by it.
TEST_F(KernelTest, ProbeFailsWhenItsSocketsAreNotOfThisSandbox) {
    attach();
    apply({});
    kernel::BornSockets outside;
    outside.tcp4 = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    outside.udp4 = UniqueFd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const auto probed = enforcer_->probe(*sandbox_, outside);
    ASSERT_FALSE(probed.has_value());
    EXPECT_EQ(probed.error().code, Errc::kLost);
}

}  // namespace sluice
