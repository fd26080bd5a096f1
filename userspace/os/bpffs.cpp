#include "os/bpffs.h"

#include <linux/magic.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "os/mountinfo.h"

namespace sluice::os {
namespace {

Result<bool> same_mount_namespace_as_init() {
    struct stat ours {
    }, inits{};
    if (::stat("/proc/self/ns/mnt", &ours) != 0) return Error::from_errno("stat our mnt namespace");
    if (::stat("/proc/1/ns/mnt", &inits) != 0)
        return Error::from_errno("stat pid 1's mnt namespace");
    return ours.st_ino == inits.st_ino && ours.st_dev == inits.st_dev;
}

// Which superblock counts, not which path: in a private namespace /sys/fs/bpf can be another one.
Result<bool> host_has(const Mount& mount) {
    const auto same = same_mount_namespace_as_init();
    if (same && *same) return true;
    SLUICE_ASSIGN(const auto hosts, mounts_of("1"));
    for (const auto& other : hosts)
        if (other.type == "bpf" && other.device == mount.device) return true;
    return false;
}

Status mount_bpffs() {
    // Mode 0700: whoever can open a pin can use it (pinned links: detach).
    if (::mount("bpf", kBpffsPath, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700") == 0)
        return {};
    Error error =
        Error::unsupported("no bpffs is mounted on " + std::string(kBpffsPath) +
                           ", and mounting one failed: " + std::generic_category().message(errno) +
                           "; as root: mount -t bpf bpf /sys/fs/bpf");
    error.sys_errno = errno;
    return error;
}

Result<Bpffs> described(const Mount& mount, bool mounted_now) {
    SLUICE_ASSIGN(const bool host, host_has(mount));
    return Bpffs{.path = mount.target, .mounted_now = mounted_now, .host_visible = host};
}

// Only the one where everybody looks for pins: on another, a dead run's would never be found.
const Mount* choose(const std::vector<Mount>& mounts) {
    const Mount* chosen = nullptr;
    for (const auto& mount : mounts)
        if (mount.type == "bpf" && mount.root == "/" && mount.target == kBpffsPath) chosen = &mount;
    if (!chosen) return nullptr;
    // A later mount may lie on top of it.
    const auto usable = on_bpffs(chosen->target);
    return usable && *usable ? chosen : nullptr;
}

}  // namespace

Result<bool> on_bpffs(const std::filesystem::path& path) {
    struct statfs found {};
    if (::statfs(path.c_str(), &found) != 0)
        return Error::from_errno("statfs '" + path.string() + "'");
    return static_cast<unsigned long>(found.f_type) == BPF_FS_MAGIC;
}

Result<Bpffs> find_or_mount_bpffs() {
    SLUICE_ASSIGN(const auto before, mounts_of("self"));
    if (const Mount* found = choose(before)) return described(*found, false);
    SLUICE_TRY(mount_bpffs());
    SLUICE_ASSIGN(const auto after, mounts_of("self"));
    if (const Mount* found = choose(after)) return described(*found, true);
    return Error::unsupported("a bpffs was mounted on " + std::string(kBpffsPath) +
                              " but does not show in /proc/self/mountinfo");
}

}  // namespace sluice::os
