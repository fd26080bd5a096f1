// Files and directories, safe to use as root in places that others can write to.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace sluice::os {

// The whole file, whatever size stat() claims (/proc says 0). More than `limit` bytes is an error.
Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit);
// The same below a directory; a symlink as the last component is an error.
Result<std::string> read_file_at(int dir, const std::string& name, std::size_t limit);
Result<std::string> read_fd(int fd, std::size_t limit);
Status write_fd(int fd, std::string_view content);  // all of it; EINTR and short writes handled

// Replaces `path` by a temp file in the same directory, fsync, rename, fsync of the directory. An
// existing file's mode and owner are kept (a failing chown is an error: the owner is never changed
// silently); a new one gets `new_mode`. A symlink is followed, so that its target is what changes.
// On failure the old file is as it was and the temp file is gone.
Status write_file_atomic(const std::filesystem::path& path, std::string_view content,
                         mode_t new_mode = 0644);

// Opens an absolute directory path one component at a time, no symlink followed on the way.
Result<UniqueFd> open_dir(const std::filesystem::path& path);
// Makes `name` below `dir` with exactly `mode` when it is missing (umask does not count), and opens
// it. An existing one must be a directory (no symlink) of our own effective uid; its mode stays.
Result<UniqueFd> make_dir_at(int dir, const std::string& name, mode_t mode);
// The same for an absolute path: missing components are made, existing ones above the last are only
// walked through.
Result<UniqueFd> make_dirs(const std::filesystem::path& path, mode_t mode);

// A new file below `dir` (O_EXCL) with exactly this mode.
Status create_file_at(int dir, const std::string& name, std::string_view content, mode_t mode);

// Removes `name` below `dir` and all under it, no symlink followed, other file systems not entered.
// A missing one is fine.
Status remove_tree_at(int dir, const std::string& name);

}  // namespace sluice::os
