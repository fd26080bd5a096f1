#include "agents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <thread>

#include "control/server.h"
#include "os/own_cgroup.h"
#include "os/paused_child.h"
#include "os/temp_dir.h"

namespace sluice::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

// An agent for one sandbox of its name, on a thread of its own.
class FakeAgent {
  public:
    FakeAgent(const fs::path& run_dir, const std::string& name, bool sound) {
        dispatcher_.add({"sandbox.list", {}, [=](control::Call&) -> Result<json> {
                             if (!sound) return Error::failed("out of order");
                             return json{{"sandboxes", {{{"name", name}}}}};
                         }});
        dispatcher_.add(
            {"egress.list", {{"name", control::Type::kText}}, [=](control::Call&) -> Result<json> {
                 return json{{"sandbox", name}};
             }});
        dispatcher_.add({"egress.explain",
                         {{"name", control::Type::kText}, {"target", control::Type::kText}},
                         [=](control::Call&) -> Result<json> {
                             return json{{"sandbox", name}};
                         }});
        fs::create_directories(run_dir / "run" / name);
        auto outside = [](pid_t) -> Result<std::string> { return std::string("/"); };
        server_.emplace(io_, dispatcher_, control::Cgroups{outside, "/sluice/"});
        EXPECT_TRUE(server_->listen(run_dir / "run" / name / "agent.sock", 0666));
        thread_ = std::thread([this] { io_.run(); });
    }
    ~FakeAgent() {
        boost::asio::post(io_, [this] {
            server_.reset();
            io_.stop();
        });
        thread_.join();
    }

  private:
    boost::asio::io_context io_;
    control::Dispatcher dispatcher_;
    std::optional<control::Server> server_;
    std::thread thread_;
};

class AgentsTest : public testing::Test {
  protected:
    test::TempDir dir_;
    Places places_{.run_dir = dir_.path(), .cgroups = {}};
};

TEST_F(AgentsTest, OneThatFailsDoesNotHideTheOthers) {
    const FakeAgent bad(dir_.path(), "bad", false);
    const FakeAgent good(dir_.path(), "good", true);
    const auto all = collect_listings({}, places_);
    ASSERT_TRUE(all) << all.error().message;
    EXPECT_EQ(all->sandboxes, json::parse(R"([{"sandbox": "good"}])"));
    ASSERT_EQ(all->failed.size(), 1u);
    EXPECT_EQ(all->failed[0]["agent"], "bad");
    EXPECT_THAT(all->failed[0]["error"].get<std::string>(), HasSubstr("out of order"));
    EXPECT_TRUE(collect_listings("good", places_)->failed.empty());
    EXPECT_EQ(collect_listings("bad", places_)->failed.size(), 1u);
    EXPECT_EQ(collect_listings("none", places_).error().code, Errc::kNotFound);

    EXPECT_EQ((*ask_explain({}, "x.example:1", places_))["sandbox"], "good");
    EXPECT_THAT(ask_explain("bad", "x.example:1", places_).error().message,
                HasSubstr("'bad': out of order"));
    EXPECT_EQ(ask_explain("none", "x.example:1", places_).error().code, Errc::kNotFound);
}

TEST_F(AgentsTest, WhatIsConfinedWithoutAnAgentIsTold) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root to make cgroups";
    if (!os::find_cgroup2()) GTEST_SKIP() << "no cgroup v2 is mounted";
    test::OwnCgroup left("left");
    const test::OwnCgroup empty("empty");
    test::OwnCgroup served("served");
    places_.cgroups = left->path().parent_path();
    const FakeAgent agent(dir_.path(), "served", true);
    const test::PausedChild one;
    const test::PausedChild two;
    ASSERT_TRUE(left->add(one.pid()));
    ASSERT_TRUE(served->add(two.pid()));
    const json orphans = find_orphans(places_);
    ASSERT_EQ(orphans.size(), 1u) << orphans;
    EXPECT_EQ(orphans[0]["name"], "left");
    EXPECT_EQ(orphans[0]["cgroup"], left->path().string());
    EXPECT_EQ(orphans[0]["processes"], 1);
    EXPECT_THAT(orphans[0]["remedy"].get<std::string>(), testing::EndsWith(" purge --force"));
    EXPECT_EQ(collect_listings({}, places_)->orphans, orphans);
    EXPECT_EQ(collect_listings("left", places_)->orphans, orphans);
    EXPECT_TRUE(collect_listings("served", places_)->orphans.empty());
}

}  // namespace
}  // namespace sluice::cli
