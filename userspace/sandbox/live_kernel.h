// KernelOps over the real thing.
#pragma once

#include <map>

#include "kernel/enforcer.h"
#include "sandbox/kernel_ops.h"

namespace sluice::sandbox {

class LiveKernel final : public KernelOps {
  public:
    explicit LiveKernel(kernel::Enforcer enforcer) : enforcer_(std::move(enforcer)) {}

    [[nodiscard]] const kernel::Features& features() const override;
    Status attach(int cgroup_dir, CgroupId id) override;
    Result<Generation> apply(CgroupId id, const Plan& plan) override;
    Status probe(CgroupId id, const kernel::BornSockets& sockets) override;
    Status detach(CgroupId id) override;
    Result<kernel::Installed> installed(CgroupId id) override;
    Result<kernel::Counters> counters(CgroupId id) override;
    Result<std::vector<kernel::Denial>> denials(CgroupId id) override;
    Result<kernel::Hits> hits(CgroupId id, RuleId rule) override;
    Result<sluice_verdict> lookup(CgroupId id, const IpAddress& address,
                                  std::uint16_t port) override;

    kernel::Enforcer& enforcer() { return enforcer_; }

  private:
    Result<kernel::Attachment*> at(CgroupId id);

    kernel::Enforcer enforcer_;
    std::map<CgroupId, kernel::Attachment> attachments_;
};

}  // namespace sluice::sandbox
