// One sandbox as the registry holds it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "base/types.h"
#include "policy/plan.h"
#include "policy/policy.h"
#include "policy/resolution.h"
#include "sandbox/host.h"
#include "sandbox/warning.h"

namespace sluice::sandbox {

struct Probe {
    Time when{};
    std::string error{};  // empty: it passed
};

struct Record {
    std::string name{};
    uid_t owner = 0;
    bool detach = false;
    Time created{};
    std::unique_ptr<Cell> cell{};
    Policy policy{};
    std::string policy_file{};  // the project's, as the user named it; empty: none
    Resolution resolution{};
    std::vector<PlannedRule> rules{};  // of the installed generation, by id
    RuleIds ids{};
    Generation generation{};
    Probe probe{};
    std::vector<Warning> warnings{};

    [[nodiscard]] const PlannedRule* rule(RuleId id) const;  // null: not in this generation
};

}  // namespace sluice::sandbox
