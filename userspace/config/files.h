// Reading the host's own policy and preset files.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace sluice::config {

// The *.toml files of a directory in name order; none where it is missing. One that exists and
// cannot be listed is an error, so that the host's denies are not lost without a word.
Result<std::vector<std::filesystem::path>> toml_files(const std::filesystem::path& dir);

// The whole file, up to one byte more than parse_document() takes. With an owner, refused where it
// is not that owner's or root's, or where its group or others can write to it.
Result<std::string> read_text(const std::filesystem::path& path,
                              std::optional<uid_t> owner = std::nullopt);

// That the directory, and the one it is in, are `owner`'s or root's and nobody else can write
// there: who can could add, change and take away files. A missing one is fine, and so is a parent
// like /tmp, where the sticky bit keeps others from what is not theirs.
Status check_directory(const std::filesystem::path& dir, uid_t owner);

}  // namespace sluice::config
