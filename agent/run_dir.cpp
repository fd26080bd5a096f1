#include "agent/run_dir.h"

#include "os/cgroup.h"
#include "os/files.h"
#include "os/run_lock.h"

namespace sluice::agent {

namespace fs = std::filesystem;

namespace {

Status clear_cgroup(const fs::path& path) {
    auto left = os::Cgroup::open(path);
    if (!left && left.error().code == Errc::kNotFound) return {};
    // Whatever lies there may confine processes: its pins stay.
    if (!left) return std::move(left).error();
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
    SLUICE_ASSIGN(auto lock, os::lock_run_dir(path));
    if (!lock) {
        return Error::invalid("sandbox '" + name +
                              "' is running; take another --name, or end it first");
    }
    RunDir taken(std::move(lock->fd), path, places.pin_root / name);
    SLUICE_TRY(clear_cgroup(places.cgroup_root / name));
    SLUICE_TRY(clear_pins(places.pin_root, name));
    return taken;
}

Status RunDir::remove_pins() const {
    return clear_pins(pins_.parent_path(), pins_.filename());
}

RunDir::~RunDir() {
    if (!lock_) return;
    // The lock file goes last, while we still hold it.
    std::error_code ec;
    fs::remove(pins_, ec);  // only when it is empty: pins in it confine somebody
    fs::remove(socket(), ec);
    fs::remove(path_ / "lock", ec);
    fs::remove(path_, ec);
}

}  // namespace sluice::agent
