#include "control/session.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace sluice::control {
namespace {

using nlohmann::json;

class SessionTest : public testing::Test {
  protected:
    SessionTest() {
        dispatcher_.add(
            {"count", {}, [](Call& call) -> Result<json> { return json(call.fds.size()); }});
    }
    static Received bytes(std::string text, int fds = 0) {
        Received received;
        received.bytes = std::move(text);
        for (int i = 0; i < fds; ++i) received.fds.emplace_back(open("/dev/null", O_CLOEXEC));
        return received;
    }
    static std::string request() { return encode_request(1, "count", json::object()) + "\n"; }
    json next() {
        const auto answer = session_.next_answer();
        return answer ? json::parse(*answer) : json();
    }

    Dispatcher dispatcher_;
    Cgroups cgroups_{[](pid_t pid) -> Result<std::string> {
                         return std::string(pid == 66 ? "/sluice/box" : "/");
                     },
                     "/sluice/"};
    Session session_{dispatcher_, Peer{.pid = 10, .uid = 0}, cgroups_};
};

TEST_F(SessionTest, DescriptorsBelongToTheLastMessageOfARead) {
    session_.take(bytes(request() + request(), 1));
    EXPECT_EQ(next()["result"], 0);
    EXPECT_EQ(next()["result"], 1);
    EXPECT_TRUE(next().is_null());
}

TEST_F(SessionTest, DescriptorsWaitForTheRestOfTheirMessage) {
    const auto whole = request();
    session_.take(bytes(request() + whole.substr(0, 5), 2));
    EXPECT_EQ(next()["result"], 0);
    EXPECT_TRUE(next().is_null());
    session_.take(bytes(whole.substr(5) + request()));
    EXPECT_EQ(next()["result"], 2);
    EXPECT_EQ(next()["result"], 0);
}

TEST_F(SessionTest, TooManyDescriptorsAreAllClosed) {
    session_.take(bytes("{", kMaxFds));
    session_.take(bytes("", 1));
    session_.take(bytes("}\n" + request()));
    EXPECT_TRUE(next().contains("error"));
    EXPECT_EQ(next()["result"], 0);
}

TEST_F(SessionTest, ASenderInsideASandboxTaintsTheConnectionForGood) {
    auto received = bytes(request());
    received.sender = 10;
    session_.take(std::move(received));
    EXPECT_TRUE(next().contains("result"));
    received = bytes(request());
    received.sender = 66;
    session_.take(std::move(received));
    EXPECT_EQ(next()["error"]["data"]["kind"], "inside_sandbox");
    received = bytes(request());
    received.sender = 10;
    session_.take(std::move(received));
    EXPECT_EQ(next()["error"]["data"]["kind"], "inside_sandbox");
}

}  // namespace
}  // namespace sluice::control
