// Attaching: deny from the first moment, all hooks or none, enforcement outlives the loader's
// links.
#include <bpf/bpf.h>
#include <sys/stat.h>

#include <array>
#include <cstring>
#include <fstream>
#include <utility>

#include "bpf/fixture.h"

namespace sluice {
namespace {

// A foreign program that allows all, attached so that the cgroup takes no other for this hook.
UniqueFd occupy(int cgroup_dir, bpf_attach_type type) {
    std::array<bpf_insn, 2> allow_all{};  // r0 = 1; exit
    allow_all[0].code = BPF_ALU64 | BPF_MOV | BPF_K;
    allow_all[0].imm = 1;
    allow_all[1].code = BPF_JMP | BPF_EXIT;
    LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = type);
    UniqueFd program(bpf_prog_load(BPF_PROG_TYPE_CGROUP_SOCK_ADDR, "foreign", "GPL",
                                   allow_all.data(), allow_all.size(), &options));
    EXPECT_TRUE(program) << std::strerror(errno);
    EXPECT_EQ(bpf_prog_attach(program.get(), cgroup_dir, type, 0), 0) << std::strerror(errno);
    return program;
}

// How many programs the cgroup has for this hook.
std::uint32_t attached(int cgroup_dir, bpf_attach_type type) {
    std::array<std::uint32_t, 16> ids{};
    std::uint32_t flags = 0, count = ids.size();
    EXPECT_EQ(bpf_prog_query(cgroup_dir, type, 0, &flags, ids.data(), &count), 0);
    return count;
}

constexpr std::array kEveryHook = {
    BPF_CGROUP_INET_EGRESS,     BPF_CGROUP_INET_SOCK_CREATE, BPF_CGROUP_INET4_POST_BIND,
    BPF_CGROUP_INET6_POST_BIND, BPF_CGROUP_SOCK_OPS,         BPF_CGROUP_UDP4_SENDMSG,
    BPF_CGROUP_UDP6_SENDMSG,    BPF_CGROUP_INET4_CONNECT,    BPF_CGROUP_INET6_CONNECT};

}  // namespace

TEST_F(KernelTest, AttachedButNotConfiguredDeniesEverything) {
    const Bound server = listen_on("127.0.0.1");
    EXPECT_EQ(inside([&] { return connect_to("127.0.0.1", server.port); }), 0);
    attach();
    EXPECT_EQ(inside([&] { return connect_to("127.0.0.1", server.port); }), EPERM);
    EXPECT_EQ(inside([&] { return send_to("127.0.0.1", server.port); }), EPERM);
}

TEST_F(KernelTest, AllowedConnectsDeniedDoesNotAndTheCountersSaySo) {
    const Bound allowed = listen_on("127.0.0.1"), denied = listen_on("127.0.0.1");
    attach();
    apply({"127.0.0.1:" + std::to_string(allowed.port)});
    EXPECT_EQ(inside([&] { return connect_to("127.0.0.1", allowed.port); }), 0);
    EXPECT_EQ(inside([&] { return connect_to("127.0.0.1", denied.port); }), EPERM);

    const auto counters = enforcer_->counters(*sandbox_);
    ASSERT_OK(counters);
    EXPECT_EQ(counters->by_reason[SLUICE_REASON_RULE], 1u);
    EXPECT_EQ(counters->by_reason[SLUICE_REASON_LOOPBACK_SERVICE], 1u);
    const auto id = ids_.id_for("x");  // one past the last: every planned id is below it
    std::uint64_t hits = 0;
    for (std::uint32_t rule = 1; rule < id.value; rule++) {
        const auto read = enforcer_->hits(*sandbox_, RuleId(rule));
        ASSERT_OK(read);
        hits += read->count;
        EXPECT_EQ(read->last.has_value(), read->count != 0);
    }
    EXPECT_EQ(hits, 1u);
}

TEST_F(KernelTest, NoHookStaysWhenOneCannotBePinned) {
    std::filesystem::create_directory(pins_ / std::to_string(cgroup_->id().value));
    const auto attached = enforcer_->attach(cgroup_->dir(), cgroup_->id());
    ASSERT_FALSE(attached.has_value());
    EXPECT_THAT(attached.error().message, ::testing::HasSubstr("pin directory"));
    std::filesystem::remove(pins_ / std::to_string(cgroup_->id().value));
    const Bound server = listen_on("127.0.0.1");
    EXPECT_EQ(inside([&] { return connect_to("127.0.0.1", server.port); }), 0);
}

TEST_F(KernelTest, NoHookStaysWhenALaterOneCannotBeAttached) {
    const std::pair<bpf_attach_type, std::string> occupied[] = {
        {BPF_CGROUP_INET4_CONNECT, "connect4"}, {BPF_CGROUP_INET6_CONNECT, "connect6"}};
    const Bound server = listen_on("127.0.0.1");
    for (const auto& [type, name] : occupied) {
        const UniqueFd foreign = occupy(cgroup_->dir(), type);
        const auto failed = enforcer_->attach(cgroup_->dir(), cgroup_->id());
        ASSERT_FALSE(failed.has_value());
        EXPECT_THAT(failed.error().message, ::testing::HasSubstr("attach " + name));
        EXPECT_TRUE(std::filesystem::is_empty(pins_));
        for (const auto hook : kEveryHook)
            EXPECT_EQ(attached(cgroup_->dir(), hook), hook == type ? 1u : 0u) << hook;
        EXPECT_EQ(inside([&] { return connect_to("127.0.0.1", server.port); }), 0);
        EXPECT_EQ(inside([&] { return send_to("127.0.0.1", server.port); }), 0);
        ASSERT_EQ(bpf_prog_detach2(foreign.get(), cgroup_->dir(), type), 0);
    }
    // With the hook free again, the same cgroup is enforced: the failure used nothing up.
    attach();
    for (const auto hook : kEveryHook) EXPECT_EQ(attached(cgroup_->dir(), hook), 1u) << hook;
    EXPECT_EQ(inside([&] { return connect_to("127.0.0.1", server.port); }), EPERM);
}

TEST_F(KernelTest, EnforcementOutlivesTheLoader) {
    const Bound server = listen_on("127.0.0.1");
    attach();
    apply({});
    const auto pin_dir = pins_ / std::to_string(cgroup_->id().value);
    sandbox_.reset();  // closes the links; the pins hold them
    enforcer_.reset();
    EXPECT_EQ(inside([&] { return connect_to("127.0.0.1", server.port); }), EPERM);
    for (const auto& pin : std::filesystem::directory_iterator(pin_dir))
        std::filesystem::remove(pin.path());
    std::filesystem::remove(pin_dir);
    // The kernel detaches from a worker, soon after the last pin is gone.
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    int answer = EPERM;
    while (answer != 0 && std::chrono::steady_clock::now() < limit)
        answer = inside([&] { return connect_to("127.0.0.1", server.port); });
    EXPECT_EQ(answer, 0);
}

TEST_F(KernelTest, HitsGoOnExactlyWhenTheTableGrows) {
    const Bound server = listen_on("127.0.0.1");
    const std::string rule = "127.0.0.1:" + std::to_string(server.port);
    attach();
    apply({rule});
    for (int i = 0; i < 3; i++)
        EXPECT_EQ(inside([&] { return connect_to("127.0.0.1", server.port); }), 0);
    std::vector<std::string> many{rule};
    for (int i = 0; i < 1000; i++)
        many.push_back("10.1." + std::to_string(i / 250) + "." + std::to_string(i % 250 + 1) +
                       ":443");
    apply(many);
    EXPECT_EQ(inside([&] { return connect_to("127.0.0.1", server.port); }), 0);
    std::uint64_t hits = 0;
    for (std::uint32_t id = 1; id < 1100; id++)
        hits += enforcer_->hits(*sandbox_, RuleId(id))->count;
    EXPECT_EQ(hits, 4u);
}

// A socket may be passed to a process outside, or outlive its process with data to send.
TEST_F(KernelTest, SocketsStayEnforcedAfterTheirSandboxIsGone) {
    const Bound denied = listen_on("127.0.0.1"), allowed = listen_on("127.0.0.1");
    const Bound datagrams = listen_on("127.0.0.1", SOCK_DGRAM);
    attach();
    apply({"127.0.0.1:" + std::to_string(allowed.port)});
    auto sockets = os::sockets_born_in(*cgroup_);
    ASSERT_OK(sockets);
    auto other = os::sockets_born_in(*cgroup_);
    ASSERT_OK(other);
    ASSERT_OK(enforcer_->retire(std::move(*sandbox_)));
    sandbox_.reset();
    ASSERT_OK(cgroup_->remove());
    cgroup_.reset();
    enforcer_.reset();
    // The links are freed by a worker; a verdict must not depend on when.
    for (int i = 0; i < 200; i++) {
        EXPECT_EQ(connect_socket(sockets->tcp4.get(), "127.0.0.1", denied.port), EPERM);
        EXPECT_EQ(send_socket(sockets->udp4.get(), "127.0.0.1", datagrams.port), EPERM);
    }
    EXPECT_EQ(connect_socket(other->tcp4.get(), "127.0.0.1", allowed.port), 0);
}

}  // namespace sluice
