// Which optional kernel features there are, found by trying them.
#pragma once

#include "kernel/enforcer.h"

namespace sluice::kernel {

Features probe_features();

}  // namespace sluice::kernel
