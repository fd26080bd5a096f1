// The parameters of sandbox.create.
#pragma once

#include "control/dispatch.h"
#include "sandbox/manager.h"

namespace sluice::agent {

std::vector<control::Param> create_params();
// The request's pidfd stays the call's.
Result<sandbox::CreateRequest> create_request(const control::Call& call);

}  // namespace sluice::agent
