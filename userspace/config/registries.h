// The registries and mirrors that a ToolConfig names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/tool_config.h"
#include "policy/rule.h"

namespace sluice::config {

struct Registry {
    Endpoint endpoint;
    std::string origin;  // the file or variable that names it
    bool main = true;    // false: in addition to the main one (scopes, extra indexes)
};

struct Registries {
    std::vector<Registry> found;
    std::vector<std::string> unusable;  // what was there but could not be used, printable
};

// `tool` is one of "npm", "apt", "pip", "cargo", "go"; anything else finds nothing.
Registries find_registries(std::string_view tool, const ToolConfig& config);
bool is_known_tool(std::string_view tool);

// HOST:PORT of an http or https URL; credentials and path are dropped.
Result<Endpoint> endpoint_of_url(std::string_view url);

}  // namespace sluice::config
