// Attaching: deny from the first moment, all hooks or none, enforcement outlives the loader's
// links.
#include <sys/stat.h>

#include <fstream>

#include "bpf/fixture.h"

namespace sluice {

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

}  // namespace sluice
