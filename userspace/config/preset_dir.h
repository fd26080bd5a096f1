// Where the presets of an installed, or just built, program are.
#pragma once

#include <filesystem>

namespace sluice::config {

// PREFIX/share/sluice/presets for PREFIX/bin/NAME and PREFIX/libexec/sluice/NAME, so that a prefix
// can be moved.
std::filesystem::path preset_dir_of(const std::filesystem::path& program);

}  // namespace sluice::config
