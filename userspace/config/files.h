// Reading the host's own policy and preset files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace sluice::config {

// The *.toml files of a directory in name order; none where it is missing. One that exists and
// cannot be listed is an error, so that the host's denies are not lost without a word.
Result<std::vector<std::filesystem::path>> toml_files(const std::filesystem::path& dir);

// The whole file, up to one byte more than parse_document() takes.
Result<std::string> read_text(const std::filesystem::path& path);

}  // namespace sluice::config
