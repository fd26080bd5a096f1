#include "bench/host.h"

#include <unistd.h>

#include <fstream>
#include <system_error>

#include "os/bpffs.h"

namespace sluice::bench {

Result<Host> Host::make() {
    SLUICE_ASSIGN(const auto cgroup2, os::find_cgroup2());
    SLUICE_ASSIGN(const auto bpffs, os::find_or_mount_bpffs());
    const auto name = "sluice-bench-" + std::to_string(getpid());
    Host host(cgroup2, bpffs.path / name);
    SLUICE_TRY(host.add_plain("plain"));
    return host;
}

Host::~Host() {
    unload();
    if (moved_) std::ofstream(root_ / "cgroup.procs") << getpid() << std::flush;
    for (auto& [name, cgroup] : cgroups_) (void)cgroup.remove();
}

Status Host::add_plain(const std::string& name) {
    const auto directory = "sluice-bench-" + std::to_string(getpid()) + "-" + name;
    SLUICE_ASSIGN(auto cgroup, os::Cgroup::create(root_ / directory));
    cgroups_.emplace(name, std::move(cgroup));
    return {};
}

Status Host::load() {
    SLUICE_ASSIGN(auto enforcer, kernel::Enforcer::load({.pin_dir = pins_, .pool = 4}));
    enforcer_.emplace(std::move(enforcer));
    return {};
}

Status Host::add_sandbox(const std::string& name, const Plan& plan) {
    if (!cgroups_.contains(name)) SLUICE_TRY(add_plain(name));
    const auto& cgroup = cgroups_.at(name);
    SLUICE_ASSIGN(auto sandbox, enforcer_->attach(cgroup.dir(), cgroup.id()));
    SLUICE_TRY(enforcer_->apply(sandbox, plan));
    sandboxes_.emplace(name, std::move(sandbox));
    return {};
}

void Host::unload() {
    for (auto& [name, sandbox] : sandboxes_) (void)enforcer_->detach(std::move(sandbox));
    sandboxes_.clear();
    enforcer_.reset();
    std::error_code ignored;
    std::filesystem::remove(pins_, ignored);
}

Status Host::enter(const std::string& name) {
    moved_ = true;
    return cgroups_.at(name).add(0);
}

}  // namespace sluice::bench
