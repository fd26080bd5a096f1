// From a request's texts to a policy: create's part before anything is touched.
#pragma once

#include "base/result.h"
#include "policy/policy.h"
#include "sandbox/manager.h"

namespace sluice::sandbox {

struct Compiled {
    Policy policy;
    std::vector<std::string> required;
    std::vector<Warning> warnings;
};

// An error in the project's text, in `allow` or in a file of the host's fails, listing every
// problem: a host's file that is left out would take its denies with it.
Result<Compiled> compile(const Settings& settings, const CreateRequest& request,
                         const std::string& user, Time now);

// kUnsupported, naming the protection: what may be required are later versions' protections.
Status check_required(const std::vector<std::string>& required);

}  // namespace sluice::sandbox
