// The file system that BPF pins live in.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace sluice::os {

inline constexpr const char* kBpffsPath = "/sys/fs/bpf";

Result<bool> on_bpffs(const std::filesystem::path& path);  // of an existing path

struct Bpffs {
    std::filesystem::path path;
    bool mounted_now = false;  // it was not there, we mounted it
    // The same superblock is mounted in pid 1's mount namespace: pins outlive the processes of this
    // namespace. false in a private namespace: the pins end with its last process.
    bool host_visible = false;
};

// The bpffs on /sys/fs/bpf; mounts one there (mode 0700) when there is none, whatever lies
// elsewhere. kUnsupported with the mount command when that fails.
Result<Bpffs> find_or_mount_bpffs();

}  // namespace sluice::os
