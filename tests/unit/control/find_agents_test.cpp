#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include "control/client.h"
#include "control/message.h"
#include "control/wire.h"

namespace sluice::control {
namespace {

namespace fs = std::filesystem;

UniqueFd bound(const fs::path& path, bool listening) {
    fs::create_directories(path.parent_path());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_TRUE(!listening || listen(fd.get(), 8) == 0);
    return fd;
}

TEST(FindAgents, ListsTheLivingByNameAndLeavesOutTheDead) {
    std::string name = testing::TempDir() + "sluice-agents-XXXXXX";
    const fs::path dir = mkdtemp(name.data());
    EXPECT_TRUE(find_agents(dir).empty());

    const auto b = bound(dir / "run" / "b" / "agent.sock", true);
    const auto a = bound(dir / "run" / "a" / "agent.sock", true);
    const auto dead = bound(dir / "run" / "dead" / "agent.sock", false);
    fs::create_directories(dir / "run" / "empty");
    auto found = find_agents(dir);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].name, "a");
    EXPECT_EQ(found[1].name, "b");

    const auto system = bound(dir / "agent.sock", true);
    found = find_agents(dir);
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].name, "");
    EXPECT_EQ(found[0].path, dir / "agent.sock");
    fs::remove_all(dir);
}

TEST(Client, AnAgentThatNeverAnswersIsATimeOut) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    UniqueFd silent(ends[1]);
    auto client = Client::adopt(UniqueFd(ends[0]));
    const auto answer =
        client.call("x", nlohmann::json::object(), {}, std::chrono::milliseconds(1));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::kFailed);
}

TEST(Client, AnswersOfOtherCallsAreSkipped) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    UniqueFd agent(ends[1]);
    auto client = Client::adopt(UniqueFd(ends[0]));
    const std::string answers = encode_result(99, "late") + "\n" + encode_result(1, "mine") + "\n" +
                                encode_result(2, "next") + "\n";
    ASSERT_TRUE(send_all(agent.get(), answers, {}, 1000));
    EXPECT_EQ(*client.call("x", nlohmann::json::object()), "mine");
    EXPECT_EQ(*client.call("y", nlohmann::json::object()), "next");
    agent.reset();
    EXPECT_EQ(client.call("z", nlohmann::json::object()).error().code, Errc::kLost);
}

}  // namespace
}  // namespace sluice::control
