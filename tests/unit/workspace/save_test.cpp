#include "workspace/save.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "../os/temp_dir.h"
#include "base/unique_fd.h"
#include "os/files.h"

namespace sluice::workspace {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string content(const fs::path& file) {
    return os::read_file(file, 1 << 20).value();
}

class Save : public testing::Test {
  protected:
    // The tests may be run by sudo; these files are nobody else's.
    void SetUp() override { ::unsetenv("SUDO_UID"); }
};

TEST_F(Save, CreatesTheProjectsFile) {
    const test::TempDir dir;
    fs::create_directories(dir / ".git");
    fs::create_directories(dir / "sub");
    const auto result = add({.entries = {"db.example:5432"}, .policy = {}}, dir / "sub");
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(result->created);
    EXPECT_EQ(result->file, dir / ".sluice.toml");
    EXPECT_EQ(content(dir / ".sluice.toml"), "[egress]\nstatic_tcp = [\"db.example:5432\"]\n");
    EXPECT_THAT(result->lines,
                ElementsAre("added db.example:5432",
                            AllOf(HasSubstr("created"), HasSubstr("sluice run --policy"))));
}

TEST_F(Save, NamedFileKeepsItsModeAndASecondAddWritesNothing) {
    const test::TempDir dir;
    const fs::path file = dir / "p.toml";
    std::ofstream(file) << "# mine\n[egress]\nstatic_tcp = []\n";
    fs::permissions(file, fs::perms(0640));
    const AddRequest request{.entries = {"a.example:1"}, .policy = file};
    const auto first = add(request, dir.path());
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ(first->lines.back(),
              "written to p.toml; takes effect at the next `sluice run --policy p.toml`");
    EXPECT_EQ(fs::status(file).permissions(), fs::perms(0640));
    struct stat before {
    }, after{};
    ASSERT_EQ(::stat(file.c_str(), &before), 0);
    const auto second = add(request, dir.path());
    ASSERT_TRUE(second);
    EXPECT_THAT(second->added, IsEmpty());
    EXPECT_THAT(second->lines,
                ElementsAre("a.example:1 is already there", "nothing to change in p.toml"));
    ASSERT_EQ(::stat(file.c_str(), &after), 0);
    EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(Save, ErrorsLeaveTheFileAlone) {
    const test::TempDir dir;
    const fs::path file = dir / "p.toml";
    std::ofstream(file) << "broken = [";
    EXPECT_FALSE(add({.entries = {"a.example:1"}, .policy = file}, dir.path()));
    EXPECT_EQ(content(file), "broken = [");
    EXPECT_FALSE(add({.entries = {"a.example"}, .policy = dir / "new.toml"}, dir.path()));
    EXPECT_FALSE(fs::exists(dir / "new.toml"));
    EXPECT_FALSE(add({.entries = {}, .policy = file}, dir.path()));
}

TEST_F(Save, TwoAtOnceLoseNothing) {
    const test::TempDir dir;
    const fs::path file = dir / "p.toml";
    {
        std::jthread one([&] {
            for (int i = 1; i <= 20; ++i)
                (void)add({.entries = {"a.example:" + std::to_string(i)}, .policy = file},
                          dir.path());
        });
        for (int i = 1; i <= 20; ++i)
            (void)add({.entries = {"b.example:" + std::to_string(i)}, .policy = file}, dir.path());
    }
    const std::string text = content(file);
    EXPECT_EQ(std::count(text.begin(), text.end(), ':'), 40);
}

TEST_F(Save, SomebodyElsesLockIsWaitedForWithALimit) {
    const test::TempDir dir;
    const AddRequest request{.entries = {"a.example:1"},
                             .policy = dir / "p.toml",
                             .patience = std::chrono::milliseconds(1)};
    UniqueFd held(::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_EQ(::flock(held.get(), LOCK_EX), 0);
    const auto refused = add(request, dir.path());
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message,
                AllOf(HasSubstr(dir.path().string()), HasSubstr("another `sluice add`")));
    EXPECT_FALSE(fs::exists(dir / "p.toml"));
    held.reset();
    EXPECT_TRUE(add(request, dir.path()));
}

}  // namespace
}  // namespace sluice::workspace
