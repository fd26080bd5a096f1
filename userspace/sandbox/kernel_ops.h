// The kernel side as the registry uses it, by cgroup id: kernel::Enforcer's calls behind an
// interface, so that the registry runs in unit tests. Contracts are those of kernel/enforcer.h.
#pragma once

#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "kernel/enforcer.h"

namespace sluice::sandbox {

class KernelOps {
  public:
    virtual ~KernelOps() = default;

    [[nodiscard]] virtual const kernel::Features& features() const = 0;
    virtual Status attach(int cgroup_dir, CgroupId id) = 0;
    virtual Result<Generation> apply(CgroupId id, const Plan& plan) = 0;
    virtual Status probe(CgroupId id, const kernel::BornSockets& sockets) = 0;
    virtual Status detach(CgroupId id) = 0;

    virtual Result<kernel::Installed> installed(CgroupId id) = 0;
    virtual Result<kernel::Counters> counters(CgroupId id) = 0;
    virtual Result<std::vector<kernel::Denial>> denials(CgroupId id) = 0;
    virtual Result<kernel::Hits> hits(CgroupId id, RuleId rule) = 0;
    virtual Result<sluice_verdict> lookup(CgroupId id, const IpAddress& address,
                                          std::uint16_t port) = 0;
};

}  // namespace sluice::sandbox
