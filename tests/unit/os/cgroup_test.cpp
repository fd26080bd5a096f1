#include "os/cgroup.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "own_cgroup.h"
#include "paused_child.h"

namespace sluice::os {
namespace {

using test::OwnCgroup;
using test::PausedChild;
using namespace std::chrono_literals;

class CgroupTest : public testing::Test {
  protected:
    void SetUp() override {
        if (::geteuid() != 0) GTEST_SKIP() << "needs root to make cgroups";
        if (!find_cgroup2()) GTEST_SKIP() << "no cgroup v2 is mounted";
    }
};

// The kernel's own word for the id, by the other way that there is.
std::uint64_t id_by_handle(const std::filesystem::path& path) {
    struct {
        file_handle head;
        unsigned char bytes[8];
    } handle{};
    handle.head.handle_bytes = sizeof handle.bytes;
    int mount = 0;
    EXPECT_EQ(::name_to_handle_at(AT_FDCWD, path.c_str(), &handle.head, &mount, 0), 0);
    std::uint64_t id = 0;
    std::memcpy(&id, handle.head.f_handle, sizeof id);
    return id;
}

TEST_F(CgroupTest, CreatedOnceWithItsKernelId) {
    OwnCgroup own("create");
    EXPECT_EQ(own->id().value, id_by_handle(own->path()));
    struct stat found {};
    ASSERT_EQ(::stat(own->path().c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 07777U, 0755u);
    const auto again = Cgroup::create(own->path());
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().sys_errno, EEXIST);
    EXPECT_EQ(Cgroup::open(own->path())->id(), own->id());
}

TEST_F(CgroupTest, OpensOnlyCgroupDirectories) {
    EXPECT_EQ(Cgroup::open("/tmp").error().code, Errc::kInvalid);
    EXPECT_EQ(Cgroup::open("/sys/fs/no/such").error().code, Errc::kNotFound);
}

TEST_F(CgroupTest, ProcessesMoveInAndAreFound) {
    OwnCgroup own("move");
    EXPECT_FALSE(own->populated().value());
    const PausedChild child;
    ASSERT_TRUE(own->add(child.pid()));
    EXPECT_TRUE(own->populated().value());
    EXPECT_THAT(own->processes().value(), testing::ElementsAre(child.pid()));
    const auto where = cgroup_of(child.pid());
    ASSERT_TRUE(where);
    EXPECT_EQ(find_cgroup2().value().string() + *where, own->path().string());
}

TEST_F(CgroupTest, ChildCgroupsCountAndGoToo) {
    OwnCgroup own("children");
    const auto inner = Cgroup::create(own->path() / "a/b");
    ASSERT_TRUE(inner);
    PausedChild child;
    ASSERT_TRUE(inner->add(child.pid()));
    EXPECT_THAT(own->processes().value(), testing::ElementsAre(child.pid()));
    EXPECT_FALSE(own->remove()) << "a process is in it";
    ASSERT_TRUE(own->signal_all(SIGKILL));
    EXPECT_EQ(WTERMSIG(child.reap()), SIGKILL);
    ASSERT_TRUE(own->remove());
    EXPECT_FALSE(std::filesystem::exists(own->path()));
}

TEST_F(CgroupTest, WaitingForTheEnd) {
    OwnCgroup own("wait");
    EXPECT_TRUE(own->wait_empty(0ms).value());
    PausedChild child;
    ASSERT_TRUE(own->add(child.pid()));
    EXPECT_FALSE(own->wait_empty(1ms).value());
    ASSERT_TRUE(own->kill_all());
    child.reap();
    EXPECT_TRUE(own->wait_empty(60s).value());
}

TEST(SandboxesPath, IsInTheTermsOfProc) {
    const auto of = [](const std::string& mounts) {
        return sandboxes_path(parse_mountinfo(mounts)).value();
    };
    EXPECT_EQ(of("29 22 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"), "/sluice/");
    EXPECT_EQ(of("29 22 0:26 /docker/7f /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"),
              "/docker/7f/sluice/");
    EXPECT_EQ(of("29 22 0:26 /box /mnt/part rw - cgroup2 cgroup2 rw\n"
                 "30 22 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"),
              "/sluice/");
    EXPECT_EQ(sandboxes_path(std::vector<Mount>()).error().code, Errc::kUnsupported);
}

TEST_F(CgroupTest, OurOwnPath) {
    const auto where = cgroup_of(::getpid());
    ASSERT_TRUE(where) << where.error().message;
    EXPECT_TRUE(where->starts_with("/"));
}

}  // namespace
}  // namespace sluice::os
