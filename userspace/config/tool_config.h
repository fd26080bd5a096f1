// What package managers are configured to use, as text that the caller read (as the user).
#pragma once

#include <string>
#include <vector>

namespace sluice::config {

struct ConfigText {
    std::string file;  // used in texts only
    std::string text;
};

// Everything is optional. Presets with `from = "TOOL"` take their hosts from it.
struct ToolConfig {
    std::vector<ConfigText> npmrc;        // .npmrc of the project, the user, the system
    std::string npm_registry;             // $NPM_CONFIG_REGISTRY
    std::vector<ConfigText> apt_sources;  // sources.list and sources.list.d/*, both formats
    std::vector<ConfigText> pip_conf;
    std::string pip_index_url;             // $PIP_INDEX_URL
    std::string pip_extra_index_url;       // $PIP_EXTRA_INDEX_URL, several by blanks
    std::vector<ConfigText> cargo_config;  // config.toml
    std::string go_proxy;                  // $GOPROXY
};

}  // namespace sluice::config
