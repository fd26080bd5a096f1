// egress.explain: what the installed generation answers, read from the kernel's tables.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "sandbox/kernel_ops.h"
#include "sandbox/record.h"
#include "sandbox/target.h"

namespace sluice::sandbox {

// Names stand for the addresses they had when the policy was installed: no DNS query is made.
Result<nlohmann::json> explain(const Record& record, KernelOps& kernel, const Target& target,
                               std::string_view asked, Time now);

}  // namespace sluice::sandbox
