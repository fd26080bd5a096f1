#include "os/bpffs.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "os/mountinfo.h"

namespace sluice::os {
namespace {

TEST(Bpffs, KnownByType) {
    EXPECT_FALSE(on_bpffs("/proc").value());
    EXPECT_EQ(on_bpffs("/no/such").error().code, Errc::kNotFound);
}

#define CHECK_OR_EXIT(condition)                              \
    do {                                                      \
        if (!(condition)) {                                   \
            std::fprintf(stderr, "not so: %s\n", #condition); \
            ::_exit(1);                                       \
        }                                                     \
    } while (0)

// In a mount namespace of its own, so that the host's mounts stay as they are.
[[noreturn]] void mount_in_private() {
    CHECK_OR_EXIT(::unshare(CLONE_NEWNS) == 0);
    CHECK_OR_EXIT(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0);
    const auto there = mounts_of("self");
    CHECK_OR_EXIT(there);
    for (auto mount = there->rbegin(); mount != there->rend(); ++mount)
        if (mount->type == "bpf") CHECK_OR_EXIT(::umount2(mount->target.c_str(), MNT_DETACH) == 0);
    // One elsewhere doesn't count: nobody would look for pins there.
    CHECK_OR_EXIT(::mount("tmpfs", "/mnt", "tmpfs", 0, nullptr) == 0);
    CHECK_OR_EXIT(::mkdir("/mnt/elsewhere", 0700) == 0);
    CHECK_OR_EXIT(::mount("bpf", "/mnt/elsewhere", "bpf", 0, nullptr) == 0);
    const auto made = find_or_mount_bpffs();
    CHECK_OR_EXIT(made);
    CHECK_OR_EXIT(made->mounted_now);
    CHECK_OR_EXIT(!made->host_visible);
    CHECK_OR_EXIT(made->path == kBpffsPath);
    CHECK_OR_EXIT(on_bpffs(made->path).value());
    const auto again = find_or_mount_bpffs();
    CHECK_OR_EXIT(again && !again->mounted_now && again->path == kBpffsPath);
    ::_exit(0);
}

TEST(Bpffs, MountedWhereThereIsNone) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root to mount";
    const pid_t pid = ::fork();
    if (pid == 0) mount_in_private();
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace sluice::os
