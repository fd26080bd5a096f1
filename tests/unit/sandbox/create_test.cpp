#include "fixture.h"

namespace sluice::sandbox::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(ManagerTest, TheChildComesLast) {
    const auto made = create(request({"192.0.2.1:443"}));
    EXPECT_THAT(world_.log, ElementsAre("child", "resolve", "mkdir", "attach", "apply", "sockets",
                                        "probe", "add"));
    EXPECT_EQ(made["name"], "web");
    EXPECT_EQ(made["cgroup"], "/cg/sluice/web");
    EXPECT_EQ(made["generation"], 1);
    EXPECT_EQ(made["mode"], "managed");
    EXPECT_EQ(made["rules"], 1);
    ASSERT_EQ(made["warnings"].size(), 1u) << made["warnings"];
    EXPECT_EQ(made["warnings"][0]["code"], "degraded_kernel");
    EXPECT_EQ(made["warnings"][0]["severity"], "note") << "it is so on every host";
    EXPECT_EQ(made["warnings"][0]["text"], "lsm: BPF LSM programs are not used in this version");
    EXPECT_THAT(world_.inside, ElementsAre(4242));
}

// Whatever step fails: no cgroup, no attachment, no record, and the child was never moved.
class CreateFails : public ManagerTest, public testing::WithParamInterface<const char*> {};

TEST_P(CreateFails, NothingIsLeft) {
    world_.fail_at = GetParam();
    const auto made = manager_.create(request({"192.0.2.1:443"}));
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, HasSubstr("made to fail"));
    EXPECT_TRUE(world_.cells.empty());
    EXPECT_TRUE(world_.inside.empty());
    EXPECT_EQ(manager_.find("web"), nullptr);
    EXPECT_TRUE(kernel_.installed_.hooks.empty());
    EXPECT_EQ(world_.did("detach"), world_.did("apply"));  // exactly where attach had worked
    world_.fail_at.clear();
    create(request({"192.0.2.1:443"}));
}

INSTANTIATE_TEST_SUITE_P(Steps, CreateFails,
                         testing::Values("child", "resolve", "mkdir", "attach", "apply", "sockets",
                                         "probe", "add"));

TEST_F(ManagerTest, RefusesBadNamesAndTakenOnes) {
    for (const char* name : {"", "Web", "-x", ".x", "a/b", "a b", "..", "\xc3\xa4"}) {
        auto asked = request();
        asked.name = name;
        const auto made = manager_.create(asked);
        ASSERT_FALSE(made) << name;
        EXPECT_EQ(made.error().code, Errc::kInvalid);
    }
    EXPECT_TRUE(check_name(std::string(63, 'a')));
    EXPECT_FALSE(check_name(std::string(64, 'a')));
    EXPECT_TRUE(world_.log.empty());
    create(request());
    const auto again = manager_.create(request());
    ASSERT_FALSE(again);
    EXPECT_THAT(again.error().message, HasSubstr("'web' exists"));
}

TEST_F(ManagerTest, APolicyWithErrorsListsAllOfThem) {
    const auto made =
        manager_.create(with_policy("[egress]\nstatic_tcp = [\"nope\", \"*.example.com:443\"]\n"));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, Errc::kInvalid);
    EXPECT_THAT(made.error().message, HasSubstr(".sluice.toml:2"));
    EXPECT_THAT(made.error().message, HasSubstr("nope"));
    EXPECT_THAT(made.error().message, HasSubstr("*.example.com:443"));
    EXPECT_FALSE(world_.did("mkdir"));
    EXPECT_FALSE(manager_.create(request({"example.com"})));
}

TEST_F(ManagerTest, ARequiredProtectionThatIsNotThereStopsTheStart) {
    kernel_.features_.bpf_lsm = true;  // what the kernel could do enforces nothing
    for (const char* one : {"lsm", "gateway"}) {
        const auto made =
            manager_.create(with_policy("[egress]\nrequired = [\"" + std::string(one) + "\"]\n"));
        ASSERT_FALSE(made) << one;
        EXPECT_EQ(made.error().code, Errc::kUnsupported);
        EXPECT_THAT(made.error().message, HasSubstr("required = [\"" + std::string(one) + "\"]"));
        EXPECT_FALSE(world_.did("mkdir"));
    }
    create(with_policy("[egress]\nrequired = []\n"));
}

TEST_F(ManagerTest, HostsAreTheResolvedNames) {
    resolves("a.example", {"192.0.2.1", "2001:db8::1"});
    resolves("b.example", {"192.0.2.1"});
    const auto made = create(request({"b.example:443", "a.example:443", "192.0.2.9:1"}));
    EXPECT_THAT(resolved_, ElementsAre("a.example", "b.example"));
    EXPECT_EQ(made["hosts"], nlohmann::json::parse(R"([
        {"address": "192.0.2.1", "names": ["a.example", "b.example"]},
        {"address": "2001:db8::1", "names": ["a.example"]}])"));
}

TEST_F(ManagerTest, RemoveTermsWaitsAndDetaches) {
    create(request());
    world_.log.clear();
    const auto removed = manager_.remove("web", std::chrono::milliseconds(0));
    ASSERT_TRUE(removed);
    EXPECT_EQ(removed->terminated, 1u);
    EXPECT_EQ(removed->killed, 0u);
    EXPECT_THAT(world_.log, ElementsAre("term", "detach", "rmdir"));
    EXPECT_EQ(manager_.find("web"), nullptr);
    EXPECT_EQ(manager_.remove("web", {}).error().code, Errc::kNotFound);
}

TEST_F(ManagerTest, RemoveKillsWhatStays) {
    create(request());
    world_.stubborn = true;
    const auto removed = manager_.remove("web", std::chrono::milliseconds(0));
    ASSERT_TRUE(removed);
    EXPECT_EQ(removed->terminated, 0u);
    EXPECT_EQ(removed->killed, 1u);
    EXPECT_TRUE(world_.did("kill"));
}

TEST_F(ManagerTest, WhatOutlivesSigkillStaysEnforced) {
    create(request());
    world_.stubborn = world_.immortal = true;
    const auto removed = manager_.remove("web", std::chrono::milliseconds(0));
    ASSERT_FALSE(removed);
    EXPECT_THAT(removed.error().message, HasSubstr("stays enforced"));
    EXPECT_FALSE(world_.did("detach"));
    EXPECT_NE(manager_.find("web"), nullptr);
}

}  // namespace
}  // namespace sluice::sandbox::test
