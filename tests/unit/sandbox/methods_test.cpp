// The protocol's methods over the registry: who may do what, and the shapes of answers.
#include "agent/methods.h"

#include <fcntl.h>

#include "fixture.h"
#include "os/sealed.h"

namespace sluice::agent {
namespace {

using control::Peer;
using nlohmann::json;
using sandbox::test::ManagerTest;
using testing::HasSubstr;

const Peer kCaller{.pid = 4241, .uid = 1000, .full = true};
const Peer kRoot{.pid = 5, .uid = 0};
const Peer kOwner{.pid = 6, .uid = 1000};
const Peer kStranger{.pid = 7, .uid = 1001};

class MethodsTest : public ManagerTest {
  protected:
    MethodsTest() { add_methods(dispatcher_, services_); }
    json call(const Peer& peer, const std::string& method, const json& params = json::object(),
              int fds = 0) {
        std::vector<UniqueFd> sent;
        for (int i = 0; i < fds; ++i) sent.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
        return json::parse(dispatcher_.answer(peer, {control::encode_request(1, method, params)},
                                              std::move(sent)));
    }
    static json create_params() {
        return {{"name", "web"},      {"owner", 1000}, {"pid", 4242},
                {"project", nullptr}, {"allow", {}},   {"detach", false}};
    }
    static std::string kind(const json& answer) {
        return answer.contains("error") ? answer["error"]["data"]["kind"].get<std::string>() : "";
    }
    static std::string message(const json& answer) {
        return answer.contains("error") ? answer["error"]["message"].get<std::string>() : "";
    }

    int changes_ = 0;
    Services services_{manager_, kernel_, {"1.2.3", "web", {}}, [this] { ++changes_; }};
    control::Dispatcher dispatcher_;
};

TEST_F(MethodsTest, HelloTellsTheProtocolAndRefusesAnother) {
    const json answer = call(kStranger, "hello", {{"protocol", 1}, {"client", "test"}})["result"];
    EXPECT_EQ(answer["protocol"], 1);
    EXPECT_EQ(answer["agent"], "1.2.3");
    EXPECT_EQ(answer["kernel"], "6.1.0-test");
    EXPECT_TRUE(answer["features"].is_object());
    EXPECT_THAT(message(call(kRoot, "hello", {{"protocol", 2}})), HasSubstr("protocol 1, not 2"));
}

TEST_F(MethodsTest, OnlyTheEmbeddingCallerCreates) {
    EXPECT_EQ(kind(call(kRoot, "sandbox.create", create_params(), 1)), "denied");
    EXPECT_EQ(kind(call(kOwner, "sandbox.create", create_params(), 1)), "denied");
    EXPECT_TRUE(world_.log.empty());
    const json made = call(kCaller, "sandbox.create", create_params(), 1);
    EXPECT_EQ(made["result"]["generation"], 1) << made;
    EXPECT_EQ(changes_, 1);
    EXPECT_EQ(manager_.find("web")->owner, 1000u);
}

TEST_F(MethodsTest, CreateChecksWhatItIsGiven) {
    const auto refused = [&](const json& change, int fds) {
        json params = create_params();
        params.update(change);
        return message(call(kCaller, "sandbox.create", params, fds));
    };
    EXPECT_THAT(refused(json::object(), 0), HasSubstr("one pidfd"));
    EXPECT_THAT(refused(json::object(), 2), HasSubstr("one pidfd"));
    EXPECT_THAT(refused({{"name", "other"}}, 1), HasSubstr("'web', not 'other'"));
    EXPECT_THAT(refused({{"owner", 4294967295U}}, 1), HasSubstr("owner"));
    EXPECT_THAT(refused({{"pid", 1ULL << 40}}, 1), HasSubstr("pid"));
    EXPECT_THAT(refused({{"project", {{"path", "x"}}}}, 1), HasSubstr("a sealed memfd"));
    EXPECT_THAT(refused({{"project", {{"path", "x"}}}}, 2), HasSubstr("no memfd sealed"));
    EXPECT_THAT(refused({{"project", {{"path", "x"}, {"text", ""}}}}, 2), HasSubstr("one pidfd"));
    EXPECT_THAT(refused({{"project", json::object()}}, 2), HasSubstr("no path"));
    EXPECT_THAT(refused({{"project", {{"path", "x"}, {"text", 1}}}}, 1), HasSubstr("{path, text}"));
    EXPECT_THAT(refused({{"project", {{"path", "x"}, {"text", ""}, {"y", ""}}}}, 1),
                HasSubstr("{path, text}"));
    EXPECT_TRUE(world_.log.empty());
}

TEST_F(MethodsTest, ALongPolicyComesBesideTheMessage) {
    std::string text = "[egress]\nstatic_tcp = [\n";
    for (int i = 0; i < 70'000; ++i)
        text += "\"198." + std::to_string(18 + i / 62500) + "." + std::to_string(i / 250 % 250) +
                "." + std::to_string(i % 250) + ":443\",\n";
    ASSERT_GT(text.size(), control::kMaxMessage);
    json params = create_params();
    params["project"] = {{"path", "p.toml"}};
    std::vector<UniqueFd> sent;
    sent.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
    sent.push_back(*os::make_sealed("policy", text + "]\n"));
    const json made = json::parse(dispatcher_.answer(
        kCaller, {control::encode_request(1, "sandbox.create", params)}, std::move(sent)));
    EXPECT_EQ(made["result"]["rules"], 70'000) << made.dump().substr(0, 500);
    EXPECT_EQ(manager_.find("web")->policy_file, "p.toml");
}

TEST_F(MethodsTest, CreateChecksTheToolsConfiguration) {
    const auto refused = [&](const json& tools) {
        json params = create_params();
        params["tools"] = tools;
        return message(call(kCaller, "sandbox.create", params, 1));
    };
    const json file = {{"file", "f"}, {"text", "x"}};
    EXPECT_THAT(refused("text"), HasSubstr("tools"));
    EXPECT_THAT(refused({{"npmrcs", json::array()}}), HasSubstr("nothing else"));
    EXPECT_THAT(refused({{"go_proxy", 1}}), HasSubstr("tools.go_proxy is a string"));
    EXPECT_THAT(refused({{"npmrc", "x"}}), HasSubstr("tools.npmrc is a list"));
    EXPECT_THAT(refused({{"npmrc", {"x"}}}), HasSubstr("tools.npmrc is a list"));
    EXPECT_THAT(refused({{"pip_conf", {{{"file", 1}}}}}), HasSubstr("tools.pip_conf is a string"));
    EXPECT_THAT(refused({{"pip_conf", {{{"mode", "x"}}}}}), HasSubstr("no \"mode\""));
    EXPECT_THAT(refused({{"apt_sources", json::array_t(257, file)}}),
                HasSubstr("at most 256 files"));
    // The limit is of all strings together.
    const std::string half(config::kMaxToolBytes / 2, 'x');
    EXPECT_THAT(refused({{"npm_registry", half}, {"cargo_config", {{{"text", half}}, file}}}),
                HasSubstr("at most 131072 bytes"));
    EXPECT_TRUE(world_.log.empty());
    EXPECT_EQ(refused({{"npm_registry", half}, {"cargo_config", {{{"text", half}}}}}), "");
}

TEST_F(MethodsTest, PresetsTakeTheirHostsFromTheToolsConfiguration) {
    json params = create_params();
    params["project"] = {{"path", "p.toml"}, {"text", "[egress]\npresets = [\"npm\", \"apt\"]\n"}};
    params["tools"] = {
        {"npmrc", {{{"file", ".npmrc"}, {"text", "registry=https://192.0.2.7:4873/\n"}}}},
        {"apt_sources",
         {{{"file", "/s.list"}, {"text", "deb http://192.0.2.8 x"}, {"problem", "cut"}}}}};
    const json made = call(kCaller, "sandbox.create", params, 1);
    ASSERT_TRUE(made.contains("result")) << made;
    EXPECT_THAT(made["result"]["warnings"].dump(), HasSubstr("/s.list: cut"));
    const json rules = call(kOwner, "egress.list")["result"]["rules"];
    ASSERT_EQ(rules.size(), 2U) << rules;
    EXPECT_EQ(rules[0]["text"], "192.0.2.7:4873");
    EXPECT_EQ(rules[0]["source"]["detail"], "preset npm, .npmrc");
    EXPECT_EQ(rules[1]["text"], "192.0.2.8:80");
}

TEST_F(MethodsTest, AnOwnerSeesAndEndsTheirOwn) {
    create(request());
    EXPECT_EQ(call(kOwner, "egress.list")["result"]["sandbox"], "web");
    EXPECT_EQ(call(kRoot, "egress.list", {{"name", "web"}})["result"]["sandbox"], "web");
    EXPECT_EQ(call(kOwner, "egress.explain", {{"target", "192.0.2.1:1"}})["result"]["verdict"],
              "deny");
    const json removed = call(kOwner, "sandbox.remove", {{"name", "web"}});
    EXPECT_EQ(removed["result"], json({{"terminated", 1}, {"killed", 0}}));
    EXPECT_EQ(changes_, 1);
}

TEST_F(MethodsTest, AStrangerSeesNothing) {
    create(request());
    EXPECT_EQ(call(kStranger, "sandbox.list")["result"]["sandboxes"], json::array());
    EXPECT_EQ(call(kStranger, "status")["result"]["sandboxes"], json::array());
    EXPECT_EQ(kind(call(kStranger, "egress.list")), "not_found");
    for (const char* method : {"egress.list", "sandbox.remove"}) {
        EXPECT_EQ(kind(call(kStranger, method, {{"name", "web"}})), "denied") << method;
    }
    EXPECT_EQ(kind(call(kStranger, "egress.explain", {{"name", "web"}, {"target", "x.example:1"}})),
              "denied");
    EXPECT_NE(manager_.find("web"), nullptr);
}

TEST_F(MethodsTest, StatusHasTheAgentAndItsSandboxes) {
    create(request());
    const json status = call(kOwner, "status")["result"];
    EXPECT_EQ(status["agent"]["embedded"], true);
    EXPECT_EQ(status["agent"]["pid"], getpid());
    EXPECT_EQ(status["degraded"],
              json::array(
                  {{{"code", "lsm"}, {"text", "BPF LSM programs are not used in this version"}}}));
    EXPECT_EQ(status["sandboxes"][0]["name"], "web");
}

TEST_F(MethodsTest, UnknownNamesAndLaterMethods) {
    EXPECT_EQ(kind(call(kRoot, "egress.list", {{"name", "nope"}})), "not_found");
    EXPECT_EQ(kind(call(kRoot, "egress.list")), "not_found");
    for (const char* method : {"egress.apply", "egress.request", "egress.cut", "egress.decide",
                               "events.subscribe", "metrics"}) {
        EXPECT_EQ(kind(call(kRoot, method, {{"x", 1}})), "unsupported") << method;
    }
    EXPECT_THAT(message(call(kRoot, "sandbox.remove", {{"name", "x"}, {"grace_ms", -1}})),
                HasSubstr("grace_ms"));
}

}  // namespace
}  // namespace sluice::agent
