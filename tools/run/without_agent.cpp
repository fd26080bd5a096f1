#include "run/without_agent.h"

#include <chrono>
#include <csignal>

#include "os/bpffs.h"
#include "os/cgroup.h"
#include "os/files.h"

namespace sluice::run {
namespace {

constexpr std::chrono::seconds kGrace{2};
constexpr std::chrono::seconds kKillWait{5};

bool missing(const Error& error) {
    return error.code == Errc::kNotFound;
}

Status end_processes(const os::Cgroup& cgroup) {
    SLUICE_TRY(cgroup.signal_all(SIGTERM));
    SLUICE_ASSIGN(bool empty, cgroup.wait_empty(kGrace));
    if (empty) return {};
    SLUICE_TRY(cgroup.kill_all());
    SLUICE_ASSIGN(empty, cgroup.wait_empty(kKillWait));
    if (empty) return {};
    return Error::failed("processes in '" + cgroup.path().string() + "' survive SIGKILL");
}

Status remove_below(const std::filesystem::path& parent, const std::string& name) {
    const auto dir = os::open_dir(parent);
    if (!dir) return missing(dir.error()) ? Status() : Status(dir.error());
    auto removed = os::remove_tree_at(dir->get(), name);
    if (removed) return {};
    return std::move(removed).error().context("remove '" + (parent / name).string() + "'");
}

}  // namespace

Status end_without_agent(const std::string& sandbox) {
    SLUICE_ASSIGN(const auto cgroup2, os::find_cgroup2());
    auto cgroup = os::Cgroup::open(cgroup2 / "sluice" / sandbox);
    if (!cgroup && !missing(cgroup.error())) return cgroup.error();
    if (cgroup) SLUICE_TRY(end_processes(*cgroup));
    SLUICE_ASSIGN(const auto bpffs, os::find_or_mount_bpffs());
    SLUICE_TRY(remove_below(bpffs.path / "sluice", sandbox));
    if (cgroup) SLUICE_TRY(cgroup->remove());
    return remove_below(kRunDirs, sandbox);
}

}  // namespace sluice::run
