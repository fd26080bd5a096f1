// Presets: named host sets, one TOML file each.
//
//   description = "..."             required, one line
//   static_tcp = ["HOST:PORTS"]     always
//   relayed = ["*.NAME:PORTS"]      always
//   from = "npm"                    take the registry from this tool's configuration ...
//   default = ["HOST:PORTS"]        ... and these (static_tcp) where none is configured
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "config/reader.h"
#include "config/tool_config.h"

namespace sluice::config {

struct Preset {
    std::string name;
    std::string description;
    std::vector<Endpoint> static_tcp, relayed, fallback;
    std::string from;  // empty: none
};

std::vector<std::string> preset_names(const std::filesystem::path& dir);  // sorted

// Errors: kNotFound where there is no such preset, kInvalid naming the file's first problem.
Result<Preset> load_preset(const std::filesystem::path& dir, std::string_view name);

// Adds the preset's rules with `used`'s place as their source.
void expand_preset(Findings& findings, const Text& used, const std::filesystem::path& dir,
                   const ToolConfig& tools, Layer layer, std::vector<Rule>& out);

}  // namespace sluice::config
