#include "agent/run_dir.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "os/temp_dir.h"

namespace sluice::agent {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Cgroups are left to the end-to-end tests; here there are none.
class RunDirTest : public testing::Test {
  protected:
    void leave_pin(const std::string& name) {
        fs::create_directories(places_.pin_root / name / "77");
        std::ofstream(places_.pin_root / name / "77" / "connect4");
    }
    [[nodiscard]] bool has_pin(const std::string& name) const {
        return fs::exists(places_.pin_root / name / "77" / "connect4");
    }

    test::TempDir dir_;
    Places places_{
        .run_dir = dir_ / "run-sluice", .cgroup_root = dir_ / "cg", .pin_root = dir_ / "bpf"};
    fs::path run_ = places_.run_dir / "run" / "web";
};

TEST_F(RunDirTest, IsTakenOnceAndGoesWithItsHolder) {
    {
        const auto taken = RunDir::take(places_, "web");
        ASSERT_TRUE(taken) << taken.error().message;
        EXPECT_TRUE(fs::exists(run_ / "lock"));
        const auto again = RunDir::take(places_, "web");
        ASSERT_FALSE(again);
        EXPECT_EQ(again.error().code, Errc::kInvalid);
        EXPECT_THAT(again.error().message, HasSubstr("'web' is running"));
        EXPECT_TRUE(fs::exists(run_ / "lock"));
        EXPECT_TRUE(RunDir::take(places_, "other"));
    }
    EXPECT_FALSE(fs::exists(run_));
}

TEST_F(RunDirTest, AnEmptyPinDirectoryGoesTooAndPinsStay) {
    {
        const auto taken = RunDir::take(places_, "web");
        ASSERT_TRUE(taken) << taken.error().message;
        fs::create_directory(taken->pins());
    }
    EXPECT_FALSE(fs::exists(places_.pin_root / "web"));
    {
        const auto taken = RunDir::take(places_, "web");
        ASSERT_TRUE(taken) << taken.error().message;
        leave_pin("web");
    }
    EXPECT_TRUE(has_pin("web"));
}

TEST_F(RunDirTest, ADeadAgentsPinsGoWhereThereIsNoCgroup) {
    leave_pin("web");
    ASSERT_TRUE(RunDir::take(places_, "web"));
    EXPECT_FALSE(has_pin("web"));
}

// What can't be opened as a cgroup may still be one.
TEST_F(RunDirTest, AnyOtherFailureToOpenTheCgroupKeepsThePins) {
    leave_pin("web");
    fs::create_directories(places_.cgroup_root / "web");
    EXPECT_FALSE(RunDir::take(places_, "web"));
    EXPECT_TRUE(has_pin("web"));
    fs::remove(places_.cgroup_root / "web");
    fs::create_symlink(dir_ / "nowhere", places_.cgroup_root / "web");
    EXPECT_FALSE(RunDir::take(places_, "web"));
    EXPECT_TRUE(has_pin("web"));
    EXPECT_FALSE(fs::exists(run_)) << "a failed take leaves no run directory";
}

}  // namespace
}  // namespace sluice::agent
