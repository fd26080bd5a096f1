#include "os/cgroup.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>

#include "os/cgroup_walk.h"
#include "os/files.h"

namespace sluice::os {
namespace {

constexpr std::size_t kLimit = 16U << 20;
constexpr int kOpenDir = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Status write_at(int dir, const char* file, std::string_view text) {
    const UniqueFd fd(::openat(dir, file, O_WRONLY | O_CLOEXEC));
    if (!fd) return Error::from_errno(std::string("open ") + file);
    // One write(): cgroupfs takes each as a whole command.
    if (::write(fd.get(), text.data(), text.size()) < 0)
        return Error::from_errno("write '" + std::string(text) + "' to " + file);
    return {};
}

Status make_parent(const std::filesystem::path& path) {
    if (::mkdir(path.c_str(), 0755) == 0) {
        if (::chmod(path.c_str(), 0755) == 0) return {};
        return Error::from_errno("set the mode of '" + path.string() + "'");
    }
    if (errno == EEXIST) return {};
    return Error::from_errno("make cgroup '" + path.string() + "'");
}

Result<bool> says_populated(std::string_view events) {
    const auto at = events.find("populated ");
    if (at == std::string_view::npos || at + 10 >= events.size())
        return Error::failed("cgroup.events has no 'populated' line");
    return events[at + 10] == '1';
}

int left(std::chrono::steady_clock::time_point until) {
    const auto rest =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    return static_cast<int>(std::clamp<std::int64_t>(rest.count(), 0, 1 << 30));
}

Result<const Mount*> cgroup2_of(const std::vector<Mount>& mounts) {
    if (const Mount* found = find_mount(mounts, "cgroup2")) return found;
    // In a cgroup namespace made by a container engine the root shows as something else than "/".
    for (const auto& mount : mounts)
        if (mount.type == "cgroup2") return &mount;
    return Error::unsupported(
        "no cgroup v2 is mounted; as root: mkdir -p /sys/fs/cgroup/unified && "
        "mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified");
}

}  // namespace

Result<std::filesystem::path> find_cgroup2() {
    SLUICE_ASSIGN(const auto mounts, mounts_of("self"));
    SLUICE_ASSIGN(const Mount* found, cgroup2_of(mounts));
    return std::filesystem::path(found->target);
}

Result<std::string> sandboxes_path() {
    SLUICE_ASSIGN(const auto mounts, mounts_of("self"));
    return sandboxes_path(mounts);
}

Result<std::string> sandboxes_path(const std::vector<Mount>& mounts) {
    SLUICE_ASSIGN(const Mount* found, cgroup2_of(mounts));
    return (found->root == "/" ? "" : found->root) + "/sluice/";
}

Result<std::string> cgroup_of(pid_t pid) {
    const std::string path = "/proc/" + std::to_string(pid) + "/cgroup";
    SLUICE_ASSIGN(const std::string text, read_file(path, kLimit));
    // v2's line is "0::/PATH"; a path may hold a newline only escaped, so a line start is safe.
    const auto start = text.starts_with("0::") ? 0 : text.find("\n0::");
    if (start == std::string::npos) return Error::failed("no cgroup v2 line in '" + path + "'");
    const auto from = text.find("0::", start) + 3;
    return text.substr(from, text.find('\n', from) - from);
}

Result<Cgroup> Cgroup::create(const std::filesystem::path& path) {
    SLUICE_TRY(make_parent(path.parent_path()));
    if (::mkdir(path.c_str(), 0755) != 0) {
        if (errno == EEXIST)
            return Error{Errc::kFailed, EEXIST, "cgroup '" + path.string() + "' already exists"};
        return Error::from_errno("make cgroup '" + path.string() + "'");
    }
    auto made = open(path);
    if (made && ::fchmod(made->dir(), 0755) != 0)
        made = Error::from_errno("set the mode of cgroup '" + path.string() + "'");
    if (!made) ::rmdir(path.c_str());
    return made;
}

Result<Cgroup> Cgroup::open(const std::filesystem::path& path) {
    UniqueFd dir(::open(path.c_str(), kOpenDir));
    if (!dir) return Error::from_errno("open cgroup '" + path.string() + "'");
    struct statfs fs {};
    struct stat found {};
    if (::fstatfs(dir.get(), &fs) != 0 || ::fstat(dir.get(), &found) != 0)
        return Error::from_errno("stat cgroup '" + path.string() + "'");
    if (static_cast<unsigned long>(fs.f_type) != CGROUP2_SUPER_MAGIC)
        return Error::invalid("'" + path.string() + "' is not a cgroup v2 directory");
    // On 64-bit kernels kernfs's inode number is the node's 64-bit id, the very number that
    // bpf_get_current_cgroup_id() returns. (32-bit ones split it into inode and generation; there
    // name_to_handle_at() would be needed.)
    static_assert(sizeof(ino_t) == 8);
    return Cgroup(std::move(dir), CgroupId(found.st_ino), path);
}

Status Cgroup::add(pid_t pid) const {
    auto added = write_at(dir_.get(), "cgroup.procs", std::to_string(pid));
    if (added) return {};
    return std::move(added).error().context("move process " + std::to_string(pid) + " into '" +
                                            path_.string() + "'");
}

Result<bool> Cgroup::populated() const {
    SLUICE_ASSIGN(const std::string events, read_file_at(dir_.get(), "cgroup.events", kLimit));
    return says_populated(events);
}

Result<std::vector<pid_t>> Cgroup::processes() const {
    std::vector<pid_t> pids;
    SLUICE_TRY(collect_processes(dir_.get(), pids));
    return pids;
}

Status Cgroup::signal_all(int signal) const {
    SLUICE_ASSIGN(const auto pids, processes());
    for (const pid_t pid : pids)
        if (::kill(pid, signal) != 0 && errno != ESRCH)
            return Error::from_errno("signal process " + std::to_string(pid));
    return {};
}

Status Cgroup::kill_all() const {
    const auto killed = write_at(dir_.get(), "cgroup.kill", "1");
    if (killed || killed.error().sys_errno != ENOENT) return killed;
    // Before 5.14. Forks race with the list, so again until nothing is left.
    for (int round = 0; round < 100; ++round) {
        SLUICE_TRY(signal_all(SIGKILL));
        SLUICE_ASSIGN(const bool empty, wait_empty(std::chrono::milliseconds(50)));
        if (empty) return {};
    }
    return Error::failed("processes in '" + path_.string() + "' survive SIGKILL");
}

Result<bool> Cgroup::wait_empty(std::chrono::milliseconds timeout) const {
    const auto until = std::chrono::steady_clock::now() + timeout;
    const UniqueFd events(::openat(dir_.get(), "cgroup.events", O_RDONLY | O_CLOEXEC));
    if (!events) return Error::from_errno("open cgroup.events of '" + path_.string() + "'");
    for (;;) {
        // kernfs reports POLLPRI for changes since the last read of this very descriptor.
        if (::lseek(events.get(), 0, SEEK_SET) < 0)
            return Error::from_errno("rewind cgroup.events");
        SLUICE_ASSIGN(const std::string text, read_fd(events.get(), kLimit));
        SLUICE_ASSIGN(const bool busy, says_populated(text));
        if (!busy) return true;
        pollfd waited{.fd = events.get(), .events = POLLPRI, .revents = 0};
        const int ready = ::poll(&waited, 1, left(until));
        if (ready < 0 && errno != EINTR) return Error::from_errno("wait on cgroup.events");
        if (ready == 0) return false;
    }
}

Status Cgroup::remove() {
    SLUICE_TRY(remove_children(dir_.get()));
    if (::rmdir(path_.c_str()) == 0 || errno == ENOENT) return {};
    return Error::from_errno("remove cgroup '" + path_.string() + "'");
}

}  // namespace sluice::os
