// What package managers are configured to use, as text that the caller read (as the user).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sluice::config {

struct ConfigText {
    std::string file;  // used in texts only
    std::string text;
    std::string problem = {};  // what of it the reader could not take; told where a preset asks
};

// What an agent takes from a caller. The texts are of a few hosts each.
inline constexpr std::size_t kMaxToolFiles = 256;          // a list
inline constexpr std::size_t kMaxToolBytes = 128U << 10U;  // all strings together

// Everything is optional. Presets with `from = "TOOL"` take their hosts from it.
struct ToolConfig {
    std::vector<ConfigText> npmrc;        // .npmrc of the user, the system
    std::string npm_registry;             // $NPM_CONFIG_REGISTRY
    std::vector<ConfigText> apt_sources;  // sources.list and sources.list.d/*, both formats
    std::vector<ConfigText> pip_conf;
    std::string pip_index_url;             // $PIP_INDEX_URL
    std::string pip_extra_index_url;       // $PIP_EXTRA_INDEX_URL, several by blanks
    std::vector<ConfigText> cargo_config;  // config.toml
    std::string go_proxy;                  // $GOPROXY
};

}  // namespace sluice::config
