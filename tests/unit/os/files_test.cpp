#include "os/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "temp_dir.h"

namespace sluice::os {
namespace {

namespace fs = std::filesystem;
using test::TempDir;
using testing::HasSubstr;

struct stat stat_of(const fs::path& path) {
    struct stat found {};
    EXPECT_EQ(::lstat(path.c_str(), &found), 0) << path;
    return found;
}

std::size_t entries_in(const fs::path& dir) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(dir), fs::directory_iterator()));
}

TEST(Files, ReadsWholeFilesUpToTheLimit) {
    const TempDir dir;
    ASSERT_TRUE(write_file_atomic(dir / "a", std::string(100000, 'x')));
    EXPECT_EQ(read_file(dir / "a", 100000).value().size(), 100000u);
    const auto over = read_file(dir / "a", 99999);
    ASSERT_FALSE(over);
    EXPECT_THAT(over.error().message, HasSubstr((dir / "a").string()));
    EXPECT_EQ(read_file(dir / "none", 10).error().code, Errc::kNotFound);
}

TEST(Files, ReadsProcFilesWhoseSizeIsZero) {
    EXPECT_FALSE(read_file("/proc/self/status", 1 << 20).value().empty());
}

TEST(Files, AtomicWriteKeepsModeAndOwnerAndLeavesNoTempFile) {
    const TempDir dir;
    ASSERT_TRUE(write_file_atomic(dir / "f", "old", 0600));
    EXPECT_EQ(stat_of(dir / "f").st_mode & 07777U, 0600u);
    ASSERT_EQ(::chmod((dir / "f").c_str(), 0640), 0);
    const bool root = ::geteuid() == 0;
    ASSERT_TRUE(!root || ::chown((dir / "f").c_str(), 1234, 2345) == 0);
    ASSERT_TRUE(write_file_atomic(dir / "f", "new"));
    EXPECT_EQ(read_file(dir / "f", 10).value(), "new");
    EXPECT_EQ(stat_of(dir / "f").st_mode & 07777U, 0640u);
    if (root) {
        EXPECT_EQ(stat_of(dir / "f").st_uid, 1234u);
        EXPECT_EQ(stat_of(dir / "f").st_gid, 2345u);
    }
    EXPECT_EQ(entries_in(dir.path()), 1u);
}

TEST(Files, AtomicWriteChangesTheTargetOfASymlink) {
    const TempDir dir;
    ASSERT_TRUE(write_file_atomic(dir / "real", "old"));
    fs::create_symlink("real", dir / "link");
    ASSERT_TRUE(write_file_atomic(dir / "link", "new"));
    EXPECT_TRUE(fs::is_symlink(dir / "link"));
    EXPECT_EQ(read_file(dir / "real", 10).value(), "new");
}

TEST(Files, FailedAtomicWriteLeavesEverythingAsItWas) {
    const TempDir dir;
    fs::create_directory(dir / "f");
    EXPECT_FALSE(write_file_atomic(dir / "f", "new"));
    EXPECT_TRUE(fs::is_directory(dir / "f"));
    EXPECT_EQ(entries_in(dir.path()), 1u);
}

TEST(Dirs, MadeWithTheExactModeWhateverTheUmask) {
    const TempDir dir;
    const mode_t before = ::umask(0077);
    const auto made = make_dirs(dir / "a/b", 0755);
    ::umask(before);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(stat_of(dir / "a").st_mode & 07777U, 0755u);
    EXPECT_EQ(stat_of(dir / "a/b").st_mode & 07777U, 0755u);
    EXPECT_TRUE(make_dirs(dir / "a/b", 0755)) << "again is fine";
}

TEST(Dirs, NoSymlinkOnTheWay) {
    const TempDir dir;
    fs::create_directory(dir / "real");
    fs::create_directory_symlink("real", dir / "link");
    EXPECT_FALSE(make_dirs(dir / "link/x", 0755));
    EXPECT_FALSE(make_dirs(dir / "link", 0755));
    EXPECT_FALSE(open_dir(dir / "link"));
    EXPECT_TRUE(open_dir(dir / "real"));
    EXPECT_EQ(entries_in(dir / "real"), 0u);
    EXPECT_FALSE(open_dir("relative"));
    EXPECT_FALSE(open_dir(dir / "real/../real"));
}

TEST(Dirs, AnotherUsersDirectoryIsRefused) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root to chown";
    const TempDir dir;
    fs::create_directory(dir / "theirs");
    ASSERT_EQ(::chown((dir / "theirs").c_str(), 1234, 1234), 0);
    const auto made = make_dirs(dir / "theirs", 0755);
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, HasSubstr("1234"));
}

TEST(Dirs, NewFilesNeverReplaceOrFollow) {
    const TempDir dir;
    const auto fd = open_dir(dir.path());
    ASSERT_TRUE(fd);
    fs::create_symlink(dir / "elsewhere", dir / "link");
    EXPECT_FALSE(create_file_at(fd->get(), "link", "x", 0644));
    EXPECT_FALSE(fs::exists(dir / "elsewhere"));
    ASSERT_TRUE(create_file_at(fd->get(), "new", "x", 0644));
    EXPECT_EQ(stat_of(dir / "new").st_mode & 07777U, 0644u);
    EXPECT_FALSE(create_file_at(fd->get(), "new", "y", 0644));
}

TEST(Dirs, RemoveTreeStaysInside) {
    const TempDir dir;
    fs::create_directories(dir / "tree/a/b");
    fs::create_directory(dir / "keep");
    ASSERT_TRUE(write_file_atomic(dir / "keep/file", "x"));
    ASSERT_TRUE(write_file_atomic(dir / "tree/a/file", "x"));
    fs::create_directory_symlink(dir / "keep", dir / "tree/a/link");
    const auto fd = open_dir(dir.path());
    ASSERT_TRUE(fd);
    const auto removed = remove_tree_at(fd->get(), "tree");
    ASSERT_TRUE(removed) << removed.error().message;
    EXPECT_FALSE(fs::exists(dir / "tree"));
    EXPECT_TRUE(fs::exists(dir / "keep/file"));
    EXPECT_TRUE(remove_tree_at(fd->get(), "tree")) << "a missing one is fine";
}

}  // namespace
}  // namespace sluice::os
