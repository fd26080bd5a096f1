#include "run/mounts.h"

#include <sched.h>
#include <sys/mount.h>

namespace sluice::run {
namespace {

Status bind_read_only(const Bind& bind) {
    if (::mount(bind.source.c_str(), bind.target.c_str(), nullptr, MS_BIND, nullptr) != 0)
        return Error::from_errno("bind '" + bind.source + "' over '" + bind.target + "'");
    // The flags of a bind are those of its source; only a remount sets its own.
    constexpr unsigned long kFlags =
        MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
    if (::mount(nullptr, bind.target.c_str(), nullptr, kFlags, nullptr) != 0)
        return Error::from_errno("make '" + bind.target + "' read-only");
    return {};
}

}  // namespace

Status enter_private_mounts(const std::vector<Bind>& binds) {
    if (::unshare(CLONE_NEWNS) != 0) return Error::from_errno("make a mount namespace");
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
        return Error::from_errno("make the mounts private");
    for (const auto& bind : binds) SLUICE_TRY(bind_read_only(bind));
    return {};
}

}  // namespace sluice::run
