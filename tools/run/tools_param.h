// sandbox.create's parameter `tools`.
#pragma once

#include <nlohmann/json.hpp>

#include "config/tool_config.h"

namespace sluice::run {

// Null when nothing is configured.
nlohmann::json tools_param(const config::ToolConfig& tools);

}  // namespace sluice::run
