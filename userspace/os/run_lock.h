// Who may use a sandbox's name: the holder of `lock` in its run directory.
#pragma once

#include <filesystem>
#include <optional>

#include "base/result.h"
#include "base/unique_fd.h"

namespace sluice::os {

// Makes the directory when it is missing, and locks it; the kernel drops the lock with its holder.
// nullopt: another process holds it. `made`: there was no directory before.
struct RunLock {
    UniqueFd fd;
    bool made = false;
};
Result<std::optional<RunLock>> lock_run_dir(const std::filesystem::path& dir);

}  // namespace sluice::os
