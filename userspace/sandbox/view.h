// Sandboxes as the protocol's JSON; docs/protocol.md gives the shapes. What the kernel holds is
// read from the kernel, at the time of the call.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "sandbox/kernel_ops.h"
#include "sandbox/record.h"

namespace sluice::sandbox {

// The kernel's state of one sandbox, and whether it is what we installed.
struct State {
    kernel::Installed installed;
    std::string error;  // the state could not be read
    bool active = false;
};
State state_of(const Record& record, KernelOps& kernel);

nlohmann::json summary(const Record& record, KernelOps& kernel);  // of sandbox.list
// egress.list, but for installed.degraded: the registry fills it in.
Result<nlohmann::json> listing(const Record& record, KernelOps& kernel, Time now);
Result<nlohmann::json> denials(const Record& record, KernelOps& kernel);

nlohmann::json source_json(const std::vector<Source>& sources);  // the first; null for none
std::string layer_of(const std::vector<Source>& sources);
nlohmann::json address_json(const IpAddress& address, Time resolved, Time now);

}  // namespace sluice::sandbox
