#include "os/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "os/files.h"

namespace sluice::os {
namespace {

bool same_file(int fd, const std::filesystem::path& path) {
    struct stat held {};
    struct stat there {};
    return ::fstat(fd, &held) == 0 && ::stat(path.c_str(), &there) == 0 &&
           held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

}  // namespace

// A holder may remove the directory between our open and our lock: then we hold a file that nobody
// finds any more, and start over.
Result<std::optional<RunLock>> lock_run_dir(const std::filesystem::path& dir) {
    for (;;) {
        std::error_code ec;
        const bool there = std::filesystem::exists(dir, ec);
        SLUICE_ASSIGN(const UniqueFd made, make_dirs(dir, 0755));
        UniqueFd file(
            ::openat(made.get(), "lock", O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!file && errno == ENOENT) continue;
        if (!file) return Error::from_errno("open '" + (dir / "lock").string() + "'");
        if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
            if (errno == EWOULDBLOCK) return std::optional<RunLock>();
            return Error::from_errno("lock '" + dir.string() + "'");
        }
        if (same_file(file.get(), dir / "lock"))
            return std::optional(RunLock{.fd = std::move(file), .made = !there});
    }
}

}  // namespace sluice::os
