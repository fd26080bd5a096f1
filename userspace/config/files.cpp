#include "config/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/escape.h"
#include "base/unique_fd.h"
#include "config/config.h"
#include "config/document.h"

namespace sluice::config {
namespace {

Status check_owner(const struct stat& status, const std::filesystem::path& path, uid_t owner,
                   mode_t refused) {
    const std::string name = "'" + printable(path.string()) + "'";
    if (status.st_uid != owner && status.st_uid != 0)
        return Error{Errc::kDenied, 0,
                     "belongs to uid " + std::to_string(status.st_uid) +
                         ", who could change the host's rules; chown root: " + name +
                         " once you have read it"};
    if ((status.st_mode & refused) != 0)
        return Error{Errc::kDenied, 0,
                     "can be written by others than its owner, who could change the host's rules; "
                     "chmod go-w " +
                         name + " once you have read it"};
    return {};
}

}  // namespace

Result<std::vector<std::filesystem::path>> toml_files(const std::filesystem::path& dir) {
    std::vector<std::filesystem::path> out;
    std::error_code failed;
    std::filesystem::directory_iterator it(dir, failed);
    if (failed == std::errc::no_such_file_or_directory) return out;
    for (const std::filesystem::directory_iterator end; !failed && it != end;
         it.increment(failed)) {
        const auto& path = it->path();
        // Editors' leavings (.#x.toml) are not policy.
        if (path.extension() == ".toml" && !path.filename().string().starts_with('.'))
            out.push_back(path);
    }
    if (failed) return Error::from_errno("list " + printable(dir.string()), failed.value());
    std::ranges::sort(out);
    return out;
}

Result<std::string> read_text(const std::filesystem::path& path, std::optional<uid_t> owner) {
    const std::string doing = "read " + printable(path.string());
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!fd) return Error::from_errno(doing, errno);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0) return Error::from_errno(doing, errno);
    // Of what is open: the name may stand for another file by now.
    if (owner) SLUICE_TRY(check_owner(status, path, *owner, S_IWGRP | S_IWOTH));
    std::string text;
    std::array<char, 65536> chunk;
    while (text.size() <= kMaxPolicyText) {
        const ssize_t got = ::read(fd.get(), chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Error::from_errno(doing, errno);
        if (got == 0) break;
        text.append(chunk.data(), static_cast<std::size_t>(got));
    }
    return text;
}

Status check_directory(const std::filesystem::path& dir, uid_t owner) {
    for (const auto& path : {dir, dir.parent_path()}) {
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0) continue;  // the listing tells what is wrong
        const bool kept = path != dir && (status.st_mode & S_ISVTX) != 0;
        auto checked = check_owner(status, path, owner, kept ? 0 : S_IWGRP | S_IWOTH);
        if (!checked && path != dir) checked.error().message.insert(0, "the directory above it ");
        SLUICE_TRY(std::move(checked));
    }
    return {};
}

}  // namespace sluice::config
