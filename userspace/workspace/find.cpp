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

std::optional<fs::path> find_policy(const fs::path& from) {
    std::error_code error;
    const fs::path top = git_root(from).value_or(from);
    for (fs::path dir = from;; dir = dir.parent_path()) {
        if (fs::exists(dir / kPolicyFile, error)) return dir / kPolicyFile;
        if (dir == top || dir == dir.parent_path()) return std::nullopt;
    }
}

fs::path default_policy_path(const fs::path& from) {
    return git_root(from).value_or(from) / kPolicyFile;
}

}  // namespace sluice::workspace
