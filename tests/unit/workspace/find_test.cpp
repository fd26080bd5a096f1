#include "workspace/find.h"

#include <gtest/gtest.h>

#include <fstream>

#include "../os/temp_dir.h"

namespace sluice::workspace {
namespace {

namespace fs = std::filesystem;

class Find : public testing::Test {
  protected:
    void SetUp() override { fs::create_directories(inner()); }
    fs::path root() const { return dir_ / "repo"; }
    fs::path inner() const { return root() / "a/b"; }
    static void touch(const fs::path& file) { std::ofstream(file) << ""; }
    test::TempDir dir_;
};

TEST_F(Find, UpToTheGitRootAndNoFurther) {
    fs::create_directory(root() / ".git");
    EXPECT_FALSE(find_policy(inner()));
    touch(dir_ / kPolicyFile);
    EXPECT_FALSE(find_policy(inner())) << "above the git root";
    touch(root() / kPolicyFile);
    EXPECT_EQ(find_policy(inner()), root() / kPolicyFile);
    touch(root() / "a" / kPolicyFile);
    EXPECT_EQ(find_policy(inner()), root() / "a" / kPolicyFile) << "the nearest one";
}

TEST_F(Find, AGitFileMarksARootToo) {
    touch(root() / "a/.git");
    touch(root() / kPolicyFile);
    EXPECT_FALSE(find_policy(inner()));
    EXPECT_EQ(default_policy_path(inner()), root() / "a" / kPolicyFile);
}

TEST_F(Find, OutsideGitOnlyHere) {
    touch(root() / kPolicyFile);
    EXPECT_FALSE(find_policy(inner()));
    EXPECT_EQ(find_policy(root()), root() / kPolicyFile);
    EXPECT_EQ(default_policy_path(inner()), inner() / kPolicyFile);
}

}  // namespace
}  // namespace sluice::workspace
