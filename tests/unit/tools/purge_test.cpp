#include "purge.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <fstream>

#include "base/unique_fd.h"

namespace sluice::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

// Cgroups are left to the end-to-end tests; here there are none.
class PurgeTest : public testing::Test {
  protected:
    PurgeTest() {
        std::string name = testing::TempDir() + "sluice-purge-XXXXXX";
        dir_ = mkdtemp(name.data());
        roots_ = {.run_dir = dir_ / "run-sluice", .cgroups = dir_ / "cg", .pins = dir_ / "bpf"};
    }
    ~PurgeTest() override { fs::remove_all(dir_); }
    void leave(const std::string& name) {
        fs::create_directories(roots_.run_dir / "run" / name);
        std::ofstream(roots_.run_dir / "run" / name / "lock");
        std::ofstream(roots_.run_dir / "run" / name / "agent.sock");
        fs::create_directories(roots_.pins / name / "links");
        std::ofstream(roots_.pins / name / "links" / "connect4");
    }

    fs::path dir_;
    Roots roots_;
};

TEST_F(PurgeTest, NothingThere) {
    const auto done = purge(roots_, false);
    EXPECT_TRUE(done.clean());
    EXPECT_EQ(render_purged(done), "nothing was left behind\n");
}

TEST_F(PurgeTest, RemovesPinsAndRunDirectoryOfADeadAgent) {
    leave("web");
    const auto done = purge(roots_, false);
    EXPECT_TRUE(done.clean()) << render_purged(done);
    EXPECT_THAT(done.removed, ElementsAre("web: pins", "web: run directory"));
    EXPECT_FALSE(fs::exists(roots_.pins / "web"));
    EXPECT_FALSE(fs::exists(roots_.run_dir / "run" / "web"));
}

// The lock is taken there too, so that no agent starts meanwhile; its directory does not stay.
TEST_F(PurgeTest, PinsWithoutARunDirectory) {
    leave("web");
    fs::remove_all(roots_.run_dir);
    const auto done = purge(roots_, false);
    EXPECT_THAT(done.removed, ElementsAre("web: pins"));
    EXPECT_FALSE(fs::exists(roots_.run_dir / "run" / "web"));
    leave("web");
    fs::remove_all(roots_.run_dir);
    fs::create_directories(roots_.cgroups / "web");
    EXPECT_FALSE(purge(roots_, false).clean());
    EXPECT_FALSE(fs::exists(roots_.run_dir / "run" / "web"));
}

TEST_F(PurgeTest, LeavesALivingAgentAlone) {
    leave("dead");
    leave("live");
    const UniqueFd held(
        ::open((roots_.run_dir / "run" / "live" / "lock").c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_EQ(::flock(held.get(), LOCK_EX | LOCK_NB), 0);
    const auto done = purge(roots_, false);
    EXPECT_TRUE(done.clean());
    EXPECT_THAT(done.running, ElementsAre("live"));
    EXPECT_TRUE(fs::exists(roots_.pins / "live" / "links" / "connect4"));
    EXPECT_TRUE(fs::exists(roots_.run_dir / "run" / "live" / "agent.sock"));
    EXPECT_FALSE(fs::exists(roots_.pins / "dead"));
}

TEST_F(PurgeTest, ALivingAgentThatDoesNotAnswerIsAFailureWithForce) {
    leave("live");
    const UniqueFd held(
        ::open((roots_.run_dir / "run" / "live" / "lock").c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_EQ(::flock(held.get(), LOCK_EX | LOCK_NB), 0);
    const auto done = purge(roots_, true);
    EXPECT_FALSE(done.clean());
    EXPECT_EQ(done.failed.size(), 1u);
    EXPECT_TRUE(fs::exists(roots_.pins / "live" / "links" / "connect4"));
}

TEST_F(PurgeTest, AFolderThatIsNoCgroupKeepsItsPins) {
    leave("web");
    fs::create_directories(roots_.cgroups / "web");
    const auto done = purge(roots_, true);
    EXPECT_FALSE(done.clean());
    EXPECT_THAT(done.removed, IsEmpty());
    EXPECT_TRUE(fs::exists(roots_.pins / "web" / "links" / "connect4"));
}

}  // namespace
}  // namespace sluice::cli
