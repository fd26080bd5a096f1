#pragma once

#include <filesystem>

namespace sluice::cli {

// The presets installed with this program: PREFIX/bin/sluice, PREFIX/share/sluice/presets.
std::filesystem::path preset_dir();

}  // namespace sluice::cli
