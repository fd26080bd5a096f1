#include "agent/run_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "os/cgroup.h"
#include "os/files.h"

namespace sluice::agent {

namespace fs = std::filesystem;

namespace {

bool same_file(int fd, const fs::path& path) {
    struct stat held {};
    struct stat there {};
    return fstat(fd, &held) == 0 && stat(path.c_str(), &there) == 0 &&
           held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

// Another agent may remove the directory between our open and our lock: then we hold a file that
// nobody finds any more, and start over.
Result<UniqueFd> lock(const fs::path& dir, const std::string& name) {
    for (;;) {
        SLUICE_ASSIGN(const UniqueFd made, os::make_dirs(dir, 0755));
        UniqueFd file(openat(made.get(), "lock", O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!file && errno == ENOENT) continue;
        if (!file) return Error::from_errno("open '" + (dir / "lock").string() + "'");
        if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK) return Error::from_errno("lock '" + dir.string() + "'");
            return Error::invalid("sandbox '" + name +
                                  "' is running; take another --name, or end it first");
        }
        if (same_file(file.get(), dir / "lock")) return file;
    }
}

Status clear_cgroup(const fs::path& path) {
    auto left = os::Cgroup::open(path);
    if (!left) return {};  // there is none
    SLUICE_ASSIGN(const auto alive, left->processes());
    if (!alive.empty()) {
        return Error::failed("an agent of this name died and left " + std::to_string(alive.size()) +
                             (alive.size() == 1 ? " process" : " processes") + " confined in '" +
                             path.string() +
                             "'; end them with `sluice purge --force`, or take another --name");
    }
    return left->remove();
}

Status clear_pins(const fs::path& root, const std::string& name) {
    SLUICE_ASSIGN(const UniqueFd dir, os::make_dirs(root, 0700));
    return os::remove_tree_at(dir.get(), name);
}

}  // namespace

Result<RunDir> RunDir::take(const Places& places, const std::string& name) {
    const fs::path path = places.run_dir / "run" / name;
    SLUICE_ASSIGN(UniqueFd held, lock(path, name));
    SLUICE_TRY(clear_cgroup(places.cgroup_root / name));
    SLUICE_TRY(clear_pins(places.pin_root, name));
    return RunDir(std::move(held), path, places.pin_root / name);
}

Status RunDir::remove_pins() const {
    return clear_pins(pins_.parent_path(), pins_.filename());
}

RunDir::~RunDir() {
    if (!lock_) return;
    // The lock file goes last, while we still hold it.
    std::error_code ec;
    fs::remove(socket(), ec);
    fs::remove(path_ / "lock", ec);
    fs::remove(path_, ec);
}

}  // namespace sluice::agent
