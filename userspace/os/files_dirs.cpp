// Directories by file descriptor. See files.h.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <vector>

#include "os/files.h"

namespace sluice::os {
namespace {

constexpr int kOpenDir = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Error cannot(std::string_view doing, const std::string& name) {
    return Error::from_errno(std::string(doing) + " '" + name + "'");
}

// Every component but the last; absolute paths without dots only, so that none is looked up twice.
Result<std::vector<std::string>> components(const std::filesystem::path& path) {
    if (!path.is_absolute()) return Error::invalid("'" + path.string() + "' is not absolute");
    std::vector<std::string> parts;
    for (const auto& part : path.relative_path()) {
        const std::string name = part.string();
        if (name.empty()) continue;
        if (name == "." || name == "..")
            return Error::invalid("'" + path.string() + "' has '" + name + "' in it");
        parts.push_back(name);
    }
    return parts;
}

Result<UniqueFd> open_root() {
    UniqueFd root(::open("/", kOpenDir));
    if (!root) return cannot("open", "/");
    return root;
}

Result<UniqueFd> open_at(int dir, const std::string& name) {
    UniqueFd fd(::openat(dir, name.c_str(), kOpenDir));
    if (fd) return fd;
    if (errno == ELOOP || errno == ENOTDIR)
        return Error::failed("'" + name + "' is not a directory of its own (symlinks don't count)");
    return cannot("open", name);
}

Result<std::vector<std::string>> entries(int dir) {
    const int copy = ::openat(dir, ".", kOpenDir);
    if (copy < 0) return cannot("open", ".");
    const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(copy), ::closedir);
    if (!stream) {
        ::close(copy);
        return cannot("list", ".");
    }
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(stream.get())) {
        const std::string name = entry->d_name;
        if (name != "." && name != "..") names.push_back(name);
    }
    return names;
}

Status remove_below(int dir, dev_t device) {
    SLUICE_ASSIGN(const auto names, entries(dir));
    for (const auto& name : names) {
        if (::unlinkat(dir, name.c_str(), 0) == 0 || errno == ENOENT) continue;
        if (errno != EISDIR && errno != EPERM) return cannot("remove", name);
        SLUICE_ASSIGN(const auto child, open_at(dir, name));
        struct stat found {};
        if (::fstat(child.get(), &found) != 0) return cannot("stat", name);
        if (found.st_dev != device) return Error::failed("'" + name + "' is a mount point");
        SLUICE_TRY(remove_below(child.get(), device));
        if (::unlinkat(dir, name.c_str(), AT_REMOVEDIR) != 0) return cannot("remove", name);
    }
    return {};
}

}  // namespace

Result<UniqueFd> open_dir(const std::filesystem::path& path) {
    SLUICE_ASSIGN(const auto parts, components(path));
    SLUICE_ASSIGN(UniqueFd dir, open_root());
    for (const auto& part : parts) {
        auto next = open_at(dir.get(), part);
        if (!next) return std::move(next).error().context("open '" + path.string() + "'");
        dir = std::move(*next);
    }
    return dir;
}

Result<UniqueFd> make_dir_at(int dir, const std::string& name, mode_t mode) {
    const bool made = ::mkdirat(dir, name.c_str(), mode) == 0;
    if (!made && errno != EEXIST) return cannot("make", name);
    SLUICE_ASSIGN(UniqueFd fd, open_at(dir, name));
    struct stat found {};
    if (::fstat(fd.get(), &found) != 0) return cannot("stat", name);
    if (found.st_uid != ::geteuid())
        return Error::failed("'" + name + "' exists and belongs to uid " +
                             std::to_string(found.st_uid) + "; remove it");
    if (made && ::fchmod(fd.get(), mode) != 0) return cannot("set the mode of", name);
    return fd;
}

Result<UniqueFd> make_dirs(const std::filesystem::path& path, mode_t mode) {
    SLUICE_ASSIGN(const auto parts, components(path));
    if (parts.empty()) return Error::invalid("'" + path.string() + "' names no directory");
    SLUICE_ASSIGN(UniqueFd dir, open_root());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool last = i + 1 == parts.size();
        const bool there = ::faccessat(dir.get(), parts[i].c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
        auto next =
            there && !last ? open_at(dir.get(), parts[i]) : make_dir_at(dir.get(), parts[i], mode);
        if (!next) return std::move(next).error().context("make '" + path.string() + "'");
        dir = std::move(*next);
    }
    return dir;
}

Status create_file_at(int dir, const std::string& name, std::string_view content, mode_t mode) {
    const UniqueFd fd(
        ::openat(dir, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd) return cannot("make", name);
    auto written = write_fd(fd.get(), content);
    if (!written) return std::move(written).error().context("write '" + name + "'");
    if (::fchmod(fd.get(), mode) != 0) return cannot("set the mode of", name);
    return {};
}

Status remove_tree_at(int dir, const std::string& name) {
    if (::unlinkat(dir, name.c_str(), 0) == 0 || errno == ENOENT) return {};
    if (errno != EISDIR && errno != EPERM) return cannot("remove", name);
    SLUICE_ASSIGN(const auto child, open_at(dir, name));
    struct stat found {};
    if (::fstat(child.get(), &found) != 0) return cannot("stat", name);
    SLUICE_TRY(remove_below(child.get(), found.st_dev));
    if (::unlinkat(dir, name.c_str(), AT_REMOVEDIR) != 0) return cannot("remove", name);
    return {};
}

}  // namespace sluice::os
