#include "control/server.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <filesystem>
#include <future>
#include <thread>

#include "control/client.h"
#include "control/message.h"

namespace sluice::control {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::filesystem::path temp_dir() {
    std::string name = testing::TempDir() + "sluice-control-XXXXXX";
    return mkdtemp(name.data());
}

class ServerTest : public testing::Test {
  protected:
    void SetUp() override {
        dispatcher_.add({"hello", {{"client", Type::kText, false}}, [](Call& call) -> Result<json> {
                             return json{{"uid", call.peer.uid}, {"full", call.peer.full}};
                         }});
        dispatcher_.add({"long", {{"bytes", Type::kCount}}, [](Call& call) -> Result<json> {
                             return json(std::string(call.params["bytes"].get<std::size_t>(), 'x'));
                         }});
        dispatcher_.add({"stat", {}, [](Call& call) -> Result<json> {
                             if (call.fds.size() != 1) return Error::invalid("one descriptor");
                             struct stat info {};
                             fstat(call.fds[0].get(), &info);
                             const bool cloexec = fcntl(call.fds[0].get(), F_GETFD) == FD_CLOEXEC;
                             return json{{"inode", info.st_ino}, {"cloexec", cloexec}};
                         }});
        auto cgroup_of = [this](pid_t) -> Result<std::string> {
            return std::string(inside_ ? "/sluice/box" : "/");
        };
        server_.emplace(io_, dispatcher_, Cgroups{cgroup_of, "/sluice/"});
        ASSERT_TRUE(server_->listen(socket_, 0666));
        thread_ = std::thread([this] { io_.run(); });
    }
    void TearDown() override {
        boost::asio::post(io_, [this] { server_.reset(); });
        boost::asio::post(io_, [this] { io_.stop(); });
        thread_.join();
        std::filesystem::remove_all(dir_);
    }
    Client connect() {
        auto client = Client::connect(socket_);
        EXPECT_TRUE(client) << client.error().message;
        return std::move(*client);
    }

    std::atomic<bool> inside_ = false;
    std::filesystem::path dir_ = temp_dir(), socket_ = dir_ / "agent.sock";
    boost::asio::io_context io_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
        io_.get_executor()};
    Dispatcher dispatcher_;
    std::optional<Server> server_;
    std::thread thread_;
};

TEST_F(ServerTest, AnswersByTheKernelsWord) {
    auto client = connect();
    const auto answer = client.call("hello", json::object());
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ((*answer)["uid"], getuid());
    EXPECT_EQ((*answer)["full"], false);
    EXPECT_EQ(std::filesystem::status(socket_).permissions(), std::filesystem::perms(0666));
}

TEST_F(ServerTest, ASecondCallAndAnErrorOnOneConnection) {
    auto client = connect();
    const auto wrong = client.call("hello", {{"clinet", "x"}});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code, Errc::kInvalid);
    EXPECT_THAT(wrong.error().message, HasSubstr("unknown parameter 'clinet'; hello takes client"));
    EXPECT_TRUE(client.call("hello", json::object()));
}

TEST_F(ServerTest, ADescriptorArrivesWithItsMessage) {
    auto client = connect();
    UniqueFd file(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    struct stat info {};
    ASSERT_EQ(fstat(file.get(), &info), 0);
    const int fds[] = {file.get()};
    const auto answer = client.call("stat", json::object(), fds);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ((*answer)["inode"], info.st_ino);
    EXPECT_EQ((*answer)["cloexec"], true);
    EXPECT_NE(fcntl(file.get(), F_GETFD), -1);
}

TEST_F(ServerTest, AnAnswerMayBeLongerThanAMessage) {
    auto client = connect();
    const auto answer = client.call("long", {{"bytes", 5 * kMaxMessage}});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->get<std::string>().size(), 5 * kMaxMessage);
}

TEST_F(ServerTest, AnOversizedMessageIsAnsweredAndTheNextOneWorks) {
    auto client = connect();
    const std::string text = std::string(2 * kMaxMessage, 'x') + "\n" +
                             encode_request(1, "hello", json::object()) + "\n";
    ASSERT_TRUE(send_all(client.fd(), text, {}, 60000));
    const auto first = client.call("hello", json::object());  // meets the error without an id
    ASSERT_FALSE(first);
    EXPECT_THAT(first.error().message, HasSubstr("longer than"));
    EXPECT_TRUE(client.call("hello", json::object()));
}

TEST_F(ServerTest, TheClientRefusesAnOversizedRequestItself) {
    auto client = connect();
    const auto answer = client.call("hello", {{"client", std::string(kMaxMessage, 'x')}});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::kInvalid);
}

TEST(Client, DoesNotReadADeeplyNestedAnswer) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    const UniqueFd agent(ends[1]);
    auto client = Client::adopt(UniqueFd(ends[0]));
    std::thread answering([&] {
        const std::string deep = R"({"jsonrpc":"2.0","id":1,"result":)" +
                                 std::string(500'000, '[') + std::string(500'000, ']') + "}\n";
        EXPECT_TRUE(send_all(agent.get(), deep, {}, 60000));
    });
    const auto answer = client.call("hello", json::object());
    answering.join();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::kLost);
    EXPECT_THAT(answer.error().message, HasSubstr("nested too deep"));
}

TEST_F(ServerTest, TheEmbeddingCallerHasFullAuthorityAndItsEndIsNoticed) {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    std::promise<void> closed;
    boost::asio::post(io_, [&, theirs = ends[1]] {
        EXPECT_TRUE(server_->serve(UniqueFd(theirs), [&] { closed.set_value(); }));
    });
    {
        auto client = Client::adopt(UniqueFd(ends[0]));
        const auto answer = client.call("hello", json::object());
        ASSERT_TRUE(answer) << answer.error().message;
        EXPECT_EQ((*answer)["full"], true);
    }
    EXPECT_EQ(closed.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
}

TEST_F(ServerTest, APeerInsideASandboxIsRefused) {
    inside_ = true;
    auto client = connect();
    const auto answer = client.call("hello", json::object());
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Errc::kDenied);
    EXPECT_THAT(answer.error().message, HasSubstr("inside a sandbox"));
}

TEST_F(ServerTest, ItsEndRemovesTheSocketAndIsALostAgent) {
    auto client = connect();
    ASSERT_TRUE(client.call("hello", json::object()));
    std::promise<void> done;
    boost::asio::post(io_, [&] {
        server_.reset();
        io_.stop();
        done.set_value();
    });
    done.get_future().wait();
    EXPECT_FALSE(std::filesystem::exists(socket_));
    EXPECT_FALSE(Client::connect(socket_));
}

}  // namespace
}  // namespace sluice::control
