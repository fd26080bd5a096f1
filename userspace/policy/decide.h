// The reference of the kernel's verdict, from the policy itself and not from the planned tables.
// Tests compare it with bpf/decide.h on the case table and on random policies.
#pragma once

#include <sluice/abi.h>

#include "policy/plan.h"
#include "policy/policy.h"
#include "policy/resolution.h"

namespace sluice {

// Addresses in `query` are canonicalised here as the kernel does (canonical_destination).
// `ids` must be the one the plan was made with; rules it never saw get rule_id 0.
sluice_verdict decide(const Policy& policy, const Resolution& resolution, const RuleIds& ids,
                      const sluice_query& query);

}  // namespace sluice
