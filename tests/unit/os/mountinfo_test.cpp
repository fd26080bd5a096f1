#include "os/mountinfo.h"

#include <gtest/gtest.h>

namespace sluice::os {
namespace {

constexpr const char* kTable =
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
    "31 22 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw shared:7 master:3 - cgroup2 cgroup2 rw\n"
    "42 22 0:39 /inner /mnt/with\\040blank\\134 rw - cgroup2 cgroup2 rw\n"
    "broken line\n"
    "43 22 0:40 / /sys/fs/bpf rw - bpf bpf rw,mode=700\n";

TEST(Mountinfo, ReadsFieldsBehindAnyNumberOfOptionalOnes) {
    const auto mounts = parse_mountinfo(kTable);
    ASSERT_EQ(mounts.size(), 5u);
    EXPECT_EQ(mounts[0].type, "ext4");
    EXPECT_EQ(mounts[2].target, "/sys/fs/cgroup/unified");
    EXPECT_EQ(mounts[2].device, "0:38");
    EXPECT_EQ(mounts[2].type, "cgroup2");
}

TEST(Mountinfo, Unescapes) {
    const auto mounts = parse_mountinfo(kTable);
    EXPECT_EQ(mounts[3].target, "/mnt/with blank\\");
    EXPECT_EQ(mounts[3].root, "/inner");
}

TEST(Mountinfo, FindsTheWholeMountNotABindOfPartOfIt) {
    const auto mounts = parse_mountinfo(kTable);
    const Mount* found = find_mount(mounts, "cgroup2");
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->target, "/sys/fs/cgroup/unified");
    EXPECT_EQ(find_mount(mounts, "nfs"), nullptr);
}

TEST(Mountinfo, ReadsOurOwn) {
    const auto mounts = mounts_of("self");
    ASSERT_TRUE(mounts) << mounts.error().message;
    EXPECT_NE(find_mount(*mounts, "proc"), nullptr);
}

}  // namespace
}  // namespace sluice::os
