#include "workspace/find.h"

namespace sluice::workspace {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> git_root(const fs::path& from) {
    std::error_code error;
    for (fs::path dir = from;; dir = dir.parent_path()) {
        // A directory, or a file in work trees and submodules.
        if (fs::exists(dir / ".git", error)) return dir;
        if (dir == dir.parent_path()) return std::nullopt;
    }
}

}  // namespace

std::vector<fs::path> project_dirs(const fs::path& from) {
    const fs::path top = git_root(from).value_or(from);
    std::vector<fs::path> dirs{from};
    while (dirs.back() != top && dirs.back() != dirs.back().parent_path())
        dirs.push_back(dirs.back().parent_path());
    return dirs;
}

std::optional<fs::path> find_policy(const fs::path& from) {
    std::error_code error;
    for (const auto& dir : project_dirs(from))
        if (fs::exists(dir / kPolicyFile, error)) return dir / kPolicyFile;
    return std::nullopt;
}

fs::path default_policy_path(const fs::path& from) {
    return git_root(from).value_or(from) / kPolicyFile;
}

}  // namespace sluice::workspace
