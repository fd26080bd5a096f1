#pragma once

#include <string>

#include "policy/rule.h"

namespace sluice::sandbox {

// RFC 3339, UTC, whole seconds: "2026-01-31T08:00:00Z".
std::string rfc3339(Time when);

}  // namespace sluice::sandbox
