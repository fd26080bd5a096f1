// Where a project's policy file is.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/result.h"

namespace sluice::workspace {

inline constexpr const char* kPolicyFile = ".sluice.toml";

// `.sluice.toml` in `from` or above it, up to the git root (the directory that holds `.git`).
// Outside a git work tree only `from` itself is looked at: a file further up is somebody else's.
std::optional<std::filesystem::path> find_policy(const std::filesystem::path& from);

// `from` and the directories above it, up to the git root; `from` alone outside a git work tree.
std::vector<std::filesystem::path> project_dirs(const std::filesystem::path& from);

// Where a new one goes: the git root, else `from`.
std::filesystem::path default_policy_path(const std::filesystem::path& from);

}  // namespace sluice::workspace
