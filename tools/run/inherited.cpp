#include "run/inherited.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>

namespace sluice::run {
namespace {

struct CloseDir {
    void operator()(DIR* dir) const { ::closedir(dir); }
};

std::optional<int> number_of(const char* name) {
    const std::string_view text(name);
    int fd = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), fd);
    if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return fd;
}

// "anon_inode:[io_uring]"; since Linux 6.9 a pidfd is "pidfd:[NUMBER]".
bool is_nameless(int dir, const char* name) {
    std::array<char, 64> target{};
    const ssize_t size = ::readlinkat(dir, name, target.data(), target.size());
    if (size < 0) return true;  // unknown: nothing that the command could rely on
    const std::string_view text(target.data(), static_cast<std::size_t>(size));
    return text.starts_with("anon_inode:") || text.starts_with("pidfd:");
}

bool stays(int dir, const char* name, int fd) {
    struct stat info {};
    if (::fstat(fd, &info) != 0) return false;
    return !S_ISSOCK(info.st_mode) && !is_nameless(dir, name);
}

}  // namespace

Status withhold_inherited() {
    const std::unique_ptr<DIR, CloseDir> dir(::opendir("/proc/self/fd"));
    if (!dir) return Error::from_errno("open '/proc/self/fd'");
    for (;;) {
        errno = 0;
        const dirent* entry = ::readdir(dir.get());
        if (!entry && errno != 0) return Error::from_errno("read '/proc/self/fd'");
        if (!entry) return {};
        const auto fd = number_of(entry->d_name);
        if (!fd || *fd <= STDERR_FILENO || *fd == ::dirfd(dir.get())) continue;
        if (stays(::dirfd(dir.get()), entry->d_name, *fd)) continue;
        if (::fcntl(*fd, F_SETFD, FD_CLOEXEC) != 0)
            return Error::from_errno("close an inherited descriptor");
    }
}

}  // namespace sluice::run
