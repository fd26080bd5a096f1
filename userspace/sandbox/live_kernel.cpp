#include "sandbox/live_kernel.h"

#include <string>
#include <utility>

namespace sluice::sandbox {

const kernel::Features& LiveKernel::features() const {
    return enforcer_.features();
}

Result<kernel::Attachment*> LiveKernel::at(CgroupId id) {
    const auto found = attachments_.find(id);
    if (found == attachments_.end()) {
        return Error{Errc::kNotFound, 0,
                     "nothing is attached to cgroup id " + std::to_string(id.value)};
    }
    return &found->second;
}

Status LiveKernel::attach(int cgroup_dir, CgroupId id) {
    SLUICE_ASSIGN(kernel::Attachment made, enforcer_.attach(cgroup_dir, id));
    attachments_.insert_or_assign(id, std::move(made));
    return {};
}

Result<Generation> LiveKernel::apply(CgroupId id, const Plan& plan) {
    SLUICE_ASSIGN(kernel::Attachment * sandbox, at(id));
    return enforcer_.apply(*sandbox, plan);
}

Status LiveKernel::probe(CgroupId id, const kernel::BornSockets& sockets) {
    SLUICE_ASSIGN(kernel::Attachment * sandbox, at(id));
    return enforcer_.probe(*sandbox, sockets);
}

Status LiveKernel::detach(CgroupId id) {
    auto node = attachments_.extract(id);
    if (node.empty()) return {};
    return enforcer_.retire(std::move(node.mapped()));
}

Result<kernel::Installed> LiveKernel::installed(CgroupId id) {
    SLUICE_ASSIGN(kernel::Attachment * sandbox, at(id));
    return enforcer_.installed(*sandbox);
}

Result<kernel::Counters> LiveKernel::counters(CgroupId id) {
    SLUICE_ASSIGN(kernel::Attachment * sandbox, at(id));
    return enforcer_.counters(*sandbox);
}

Result<std::vector<kernel::Denial>> LiveKernel::denials(CgroupId id) {
    SLUICE_ASSIGN(kernel::Attachment * sandbox, at(id));
    return enforcer_.denials(*sandbox);
}

Result<kernel::Hits> LiveKernel::hits(CgroupId id, RuleId rule) {
    SLUICE_ASSIGN(kernel::Attachment * sandbox, at(id));
    return enforcer_.hits(*sandbox, rule);
}

Result<sluice_verdict> LiveKernel::lookup(CgroupId id, const IpAddress& address,
                                          std::uint16_t port) {
    SLUICE_ASSIGN(kernel::Attachment * sandbox, at(id));
    return enforcer_.lookup(*sandbox, address, port);
}

}  // namespace sluice::sandbox
