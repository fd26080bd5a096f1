// cgroup v2 directories, held by file descriptor.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "base/unique_fd.h"
#include "os/mountinfo.h"

namespace sluice::os {

// Where cgroup v2 is mounted, found by file system type (on hybrid hosts it is not /sys/fs/cgroup).
// kUnsupported with the mount command when there is none.
Result<std::filesystem::path> find_cgroup2();

// The v2 path of a process ("/user.slice/..."), from /proc/PID/cgroup. It is no path below the
// mount point where that shows only a part of the hierarchy.
Result<std::string> cgroup_of(pid_t pid);

// What a sandbox's path begins with in the same terms: the cgroup "sluice" below the mount point,
// as /proc shows it, and a '/'.
Result<std::string> sandboxes_path();
Result<std::string> sandboxes_path(const std::vector<Mount>& mounts);

class Cgroup {
  public:
    // Makes `path` (and its parent, when missing), root-owned 0755. An existing one is an error.
    static Result<Cgroup> create(const std::filesystem::path& path);
    static Result<Cgroup> open(const std::filesystem::path& path);

    [[nodiscard]] int dir() const { return dir_.get(); }
    [[nodiscard]] CgroupId id() const { return id_; }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    Status add(pid_t pid) const;                                 // 0: the caller
    [[nodiscard]] Result<bool> populated() const;                // any process in it or below
    [[nodiscard]] Result<std::vector<pid_t>> processes() const;  // in it and in child cgroups
    Status signal_all(int signal) const;
    Status kill_all() const;  // cgroup.kill (5.14), else SIGKILL until empty
    // Waits on cgroup.events, no polling. false: still populated after `timeout`.
    Result<bool> wait_empty(std::chrono::milliseconds timeout) const;
    Status remove();  // rmdir, child cgroups first; it must be empty of processes

  private:
    Cgroup(UniqueFd dir, CgroupId id, std::filesystem::path path)
        : dir_(std::move(dir)), id_(id), path_(std::move(path)) {}
    UniqueFd dir_;
    CgroupId id_;
    std::filesystem::path path_;
};

}  // namespace sluice::os
