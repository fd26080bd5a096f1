// The parameter `tools` of sandbox.create: package managers' configuration.
#pragma once

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "config/tool_config.h"

namespace sluice::agent {

// Everything in it may be absent; unknown members, wrong types and more than the limits are errors.
Result<config::ToolConfig> tools_of(const nlohmann::json& param);

}  // namespace sluice::agent
