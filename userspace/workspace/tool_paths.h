// Where package managers look for their configuration, nearest first.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "workspace/tool_files.h"

namespace sluice::workspace {

using Paths = std::vector<std::filesystem::path>;

Paths npm_paths(const ToolPlaces& places);
Paths apt_paths(const ToolPlaces& places);
Paths pip_paths(const ToolPlaces& places);
Paths cargo_paths(const ToolPlaces& places);
std::filesystem::path go_env_path(const ToolPlaces& places);  // may be empty

// Whether it lies in the project, whoever named it: a clone brings it, and a sandboxed command may
// have written it. No file does where the user's home lies in the project: there is no telling.
bool in_project(const std::filesystem::path& path, const ToolPlaces& places);

// As messages show it: relative to the project's working directory, "~/...", or absolute.
std::string shown(const std::filesystem::path& path, const ToolPlaces& places);

}  // namespace sluice::workspace
