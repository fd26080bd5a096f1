#include "control/dispatch.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sluice::control {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class DispatchTest : public testing::Test {
  protected:
    DispatchTest() {
        dispatcher_.add({"echo",
                         {{"text", Type::kText},
                          {"count", Type::kCount, false},
                          {"flag", Type::kFlag, false},
                          {"texts", Type::kTexts, false},
                          {"object", Type::kObject, false}},
                         [this](Call& call) -> Result<json> {
                             fds_ = call.fds.size();
                             return call.params;
                         }});
        dispatcher_.add({"fail", {}, [](Call&) -> Result<json> {
                             return Error{Errc::kUnsupported, 0, "no BTF here"};
                         }});
        dispatcher_.add(
            {"throw", {}, [](Call& call) -> Result<json> { return call.params.at("not there"); }});
        dispatcher_.add_later("metrics", "use egress.list");
    }
    json ask(const std::string& line, bool oversized = false) {
        const auto answer = dispatcher_.answer(peer_, {line, oversized}, {});
        EXPECT_EQ(answer.find('\n'), std::string::npos);
        return json::parse(answer);
    }
    json call(const std::string& method, const json& params) {
        return ask(encode_request(5, method, params));
    }
    void expect_error(const json& answer, int code, const char* message, const char* hint) {
        ASSERT_TRUE(answer.contains("error")) << answer;
        EXPECT_EQ(answer["error"]["code"], code);
        EXPECT_THAT(answer["error"]["message"].get<std::string>(), HasSubstr(message));
        EXPECT_THAT(answer["error"]["data"]["hint"].get<std::string>(), HasSubstr(hint));
    }

    Dispatcher dispatcher_;
    Peer peer_{.pid = 1, .uid = 1000};
    std::size_t fds_ = 0;
};

TEST_F(DispatchTest, RunsAMethodWithItsDeclaredParameters) {
    const json params{
        {"text", "x"}, {"count", 3}, {"flag", true}, {"texts", {"a"}}, {"object", {}}};
    const json answer = call("echo", params);
    EXPECT_EQ(answer["id"], 5);
    EXPECT_EQ(answer["jsonrpc"], "2.0");
    EXPECT_EQ(answer["result"]["text"], "x");
    EXPECT_EQ(answer["result"]["count"], 3);
}

TEST_F(DispatchTest, NullIsAbsent) {
    EXPECT_EQ(call("echo", {{"text", "x"}, {"count", nullptr}})["result"], json({{"text", "x"}}));
    expect_error(call("echo", {{"text", nullptr}}), kInvalidParams, "'text' is missing",
                 "echo takes text, count (optional)");
}

TEST_F(DispatchTest, NamesWhatIsWrongWithParameters) {
    expect_error(call("echo", {{"text", "x"}, {"txet", 1}}), kInvalidParams,
                 "unknown parameter 'txet'", "echo takes text");
    expect_error(call("echo", {{"text", 7}}), kInvalidParams, "'text' must be a string, not number",
                 "echo takes");
    expect_error(call("echo", {{"text", "x"}, {"count", -1}}), kInvalidParams, "whole number", "");
    expect_error(call("echo", {{"text", "x"}, {"count", 1.5}}), kInvalidParams, "whole number", "");
    expect_error(call("echo", {{"text", "x"}, {"flag", "yes"}}), kInvalidParams, "true or false",
                 "");
    expect_error(call("echo", {{"text", "x"}, {"texts", {"a", 1}}}), kInvalidParams,
                 "list of strings", "");
    expect_error(call("echo", {{"text", "x"}, {"object", {1}}}), kInvalidParams, "an object", "");
    expect_error(call("echo", json::array({"x"})), kInvalidParams, "must be an object", "");
    expect_error(call("fail", {{"x", 1}}), kInvalidParams, "unknown parameter",
                 "fail takes no parameter");
}

TEST_F(DispatchTest, UnknownAndLaterMethods) {
    expect_error(call("ehco", {}), kMethodNotFound, "unknown method 'ehco'", "echo fail");
    expect_error(call("a\x1b[31m", {}), kMethodNotFound, "'a\\x1b[31m'", "");
    const json later = call("metrics", {{"anything", 1}});
    expect_error(later, kSluiceError, "metrics: not in this version", "use egress.list");
    EXPECT_EQ(later["error"]["data"]["kind"], "unsupported");
}

TEST_F(DispatchTest, AnErrorOfAMethodKeepsItsKind) {
    const json answer = call("fail", json::object());
    expect_error(answer, kSluiceError, "no BTF here", "");
    EXPECT_EQ(answer["error"]["data"]["kind"], "unsupported");
}

TEST_F(DispatchTest, EveryMessageGetsAnAnswer) {
    expect_error(ask("{"), kParseError, "not JSON", "a line");
    expect_error(ask(""), kParseError, "not JSON", "");
    expect_error(ask("{\"id\":1,\"method\":\"\xff\"}"), kParseError, "not JSON", "UTF-8");
    expect_error(ask("[]"), kInvalidRequest, "batches", "one by one");
    expect_error(ask("7"), kInvalidRequest, "not a JSON-RPC", "");
    expect_error(ask(R"({"jsonrpc":"2.0","method":"echo"})"), kInvalidRequest, "not a JSON-RPC",
                 "");
    expect_error(ask(R"({"id":1,"method":"echo"})"), kInvalidRequest, "not a JSON-RPC", "");
    expect_error(ask(R"({"jsonrpc":"2.0","id":1,"method":7})"), kInvalidRequest, "", "");
    expect_error(ask("", true), kInvalidRequest, "longer than 1048576 bytes", "");
    EXPECT_EQ(ask(R"({"jsonrpc":"2.0","id":"a","method":"x"})")["id"], "a");
    EXPECT_TRUE(ask(R"({"jsonrpc":"2.0","id":[1],"method":"x"})")["id"].is_null());
}

std::string nested(std::size_t depth, std::string_view open = "[", std::string_view close = "]") {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) text += open;
    for (std::size_t i = 0; i < depth; ++i) text += close;
    return text;
}

// Copied recursively, each of these overflows the stack.
TEST_F(DispatchTest, DeepNestingIsRefusedBeforeItIsRead) {
    constexpr std::size_t kDeep = 500'000;
    for (const std::string& value :
         {nested(kDeep), nested(kDeep / 4, R"({"a":)", "}"), std::string(kDeep, '[')}) {
        const std::string start = R"({"jsonrpc":"2.0","id":1,"method":"echo","params":{"object":)";
        expect_error(ask(start + value + "}}"), kInvalidRequest, "nested deeper than 32", "");
        expect_error(ask(value), kInvalidRequest, "nested deeper than 32", "");
        peer_.inside = true;
        EXPECT_EQ(ask(value)["error"]["data"]["kind"], "inside_sandbox");
        peer_.inside = false;
    }
    EXPECT_TRUE(call("echo", {{"text", nested(100)}}).contains("result")) << "brackets in a text";
    EXPECT_TRUE(call("echo", {{"text", "\"" + nested(100)}}).contains("result"));
}

TEST(NestedTooDeep, CountsBracketsOutsideOfTexts) {
    EXPECT_FALSE(nested_too_deep(nested(kMaxDepth)));
    EXPECT_TRUE(nested_too_deep(nested(kMaxDepth + 1)));
    EXPECT_FALSE(nested_too_deep("\"" + nested(99) + "\\\"" + nested(99) + "\""));
    EXPECT_TRUE(nested_too_deep("\"\\\\\"" + nested(99)));
    std::string flat;
    for (int i = 0; i < 99; ++i) flat += "[],";
    EXPECT_FALSE(nested_too_deep(flat));
    EXPECT_FALSE(nested_too_deep("]]]]" + nested(kMaxDepth)));
}

TEST_F(DispatchTest, AHandlerThatThrowsIsAFailedCall) {
    const json answer = call("throw", json::object());
    expect_error(answer, kSluiceError, "throw: unexpected: ", "");
    EXPECT_EQ(answer["error"]["data"]["kind"], "failed");
    EXPECT_EQ(answer["id"], 5);
    EXPECT_TRUE(call("echo", {{"text", "x"}}).contains("result"));
}

TEST_F(DispatchTest, APeerInsideASandboxIsRefusedEverything) {
    peer_ = {.pid = 1, .uid = 0, .full = true, .inside = true};
    for (const char* line : {R"({"jsonrpc":"2.0","id":1,"method":"fail"})", "{", "[]"}) {
        EXPECT_EQ(ask(line)["error"]["data"]["kind"], "inside_sandbox") << line;
    }
    EXPECT_FALSE(peer_.may_all());
    EXPECT_FALSE(peer_.may_act_on(0));
}

TEST_F(DispatchTest, DescriptorsNobodyTakesAreClosed) {
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    ASSERT_GE(fd, 0);
    std::vector<UniqueFd> fds;
    fds.emplace_back(fd);
    (void)dispatcher_.answer(peer_, {R"({"jsonrpc":"2.0","id":1,"method":"fail"})"},
                             std::move(fds));
    EXPECT_EQ(fcntl(fd, F_GETFD), -1);
}

TEST(Peer, WhoMayDoWhat) {
    EXPECT_TRUE((Peer{.pid = 1, .uid = 0}.may_act_on(7)));
    EXPECT_TRUE((Peer{.pid = 1, .uid = 7}.may_act_on(7)));
    EXPECT_FALSE((Peer{.pid = 1, .uid = 8}.may_act_on(7)));
    EXPECT_FALSE((Peer{.pid = 1, .uid = 8}.may_all()));
    EXPECT_TRUE((Peer{.pid = 1, .uid = 8, .full = true}.may_act_on(7)));
}

TEST(Peer, InsideByItsCgroupOrByBeingGone) {
    auto in = [](std::string path, std::string sandboxes = "/sluice/") {
        return Cgroups{[=](pid_t) -> Result<std::string> { return path; }, std::move(sandboxes)};
    };
    EXPECT_TRUE(inside_sandbox(9, in("/sluice/web")));
    EXPECT_TRUE(inside_sandbox(9, in("/sluice/web/child")));
    EXPECT_FALSE(inside_sandbox(9, in("/sluice.slice/x")));
    EXPECT_FALSE(inside_sandbox(9, in("/")));
    EXPECT_TRUE(inside_sandbox(9, in("/box/sluice/web", "/box/sluice/")));
    EXPECT_FALSE(inside_sandbox(9, in("/sluice/web", "/box/sluice/")));
    EXPECT_TRUE(inside_sandbox(0, in("/")));
    EXPECT_TRUE(inside_sandbox(9, {[](pid_t) -> Result<std::string> {
                                       return Error{Errc::kNotFound, 0, "gone"};
                                   },
                                   "/sluice/"}));
}

}  // namespace
}  // namespace sluice::control
