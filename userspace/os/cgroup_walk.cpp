#include "os/cgroup_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <string>

#include "os/files.h"

namespace sluice::os {
namespace {

constexpr std::size_t kLimit = 16U << 20;
constexpr int kOpenDir = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// cgroupfs fills in d_type; everything that is a directory is a cgroup.
Result<std::vector<std::string>> children(int dir) {
    const int copy = ::openat(dir, ".", kOpenDir);
    if (copy < 0) return Error::from_errno("open cgroup directory");
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(copy), ::closedir);
    if (!stream) {
        const int saved = errno;
        ::close(copy);
        return Error::from_errno("list cgroup directory", saved);
    }
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(stream.get())) {
        const std::string name = entry->d_name;
        if (entry->d_type == DT_DIR && name != "." && name != "..") names.push_back(name);
    }
    return names;
}

void append_pids(std::string_view text, std::vector<pid_t>& pids) {
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
        pid_t pid = 0;
        const auto [stop, error] = std::from_chars(at, end, pid);
        // 0 stands for a process outside our pid namespace: kill(0) would hit ourselves.
        if (error == std::errc() && pid > 0) pids.push_back(pid);
        at = stop + 1;
    }
}

// A child that went away meanwhile is no error.
bool gone(const Error& error) {
    return error.sys_errno == ENOENT || error.sys_errno == ENODEV;
}

}  // namespace

Status collect_processes(int dir, std::vector<pid_t>& pids) {
    const auto text = read_file_at(dir, "cgroup.procs", kLimit);
    // EOPNOTSUPP: a threaded cgroup; its processes are in its domain's list.
    if (!text && !gone(text.error()) && text.error().sys_errno != EOPNOTSUPP) return text.error();
    if (text) append_pids(*text, pids);
    SLUICE_ASSIGN(const auto names, children(dir));
    for (const auto& name : names) {
        const UniqueFd child(::openat(dir, name.c_str(), kOpenDir));
        if (child) SLUICE_TRY(collect_processes(child.get(), pids));
    }
    return {};
}

Status remove_children(int dir) {
    SLUICE_ASSIGN(const auto names, children(dir));
    for (const auto& name : names) {
        const UniqueFd child(::openat(dir, name.c_str(), kOpenDir));
        if (child) SLUICE_TRY(remove_children(child.get()));
        if (::unlinkat(dir, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT)
            return Error::from_errno("remove child cgroup '" + name + "'");
    }
    return {};
}

}  // namespace sluice::os
