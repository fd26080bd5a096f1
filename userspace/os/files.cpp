#include "os/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

namespace sluice::os {
namespace {

Error cannot(std::string_view doing, const std::filesystem::path& path, int saved_errno) {
    return Error::from_errno(std::string(doing) + " '" + path.string() + "'", saved_errno);
}

// A temp file beside its target; unlinked unless it was renamed over it.
class TempFile {
  public:
    static Result<TempFile> beside(int dir, const std::string& name) {
        for (unsigned attempt = 0; attempt < 100; ++attempt) {
            const std::string temp = "." + name + "." + std::to_string(::getpid()) + "-" +
                                     std::to_string(attempt) + ".tmp";
            // 0600 until the final mode is set: the content may be less public than the umask.
            const int fd =
                ::openat(dir, temp.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
            if (fd >= 0) return TempFile(dir, UniqueFd(fd), temp);
            if (errno != EEXIST) return Error::from_errno("make '" + temp + "'");
        }
        return Error::failed("no free temp name for '" + name + "'");
    }
    TempFile(TempFile&& other) noexcept
        : dir_(other.dir_), fd_(std::move(other.fd_)), name_(std::exchange(other.name_, "")) {}
    TempFile& operator=(TempFile&&) = delete;
    ~TempFile() {
        if (!name_.empty()) ::unlinkat(dir_, name_.c_str(), 0);
    }
    [[nodiscard]] int fd() const { return fd_.get(); }

    Status rename_to(const std::string& target) {
        if (::renameat(dir_, name_.c_str(), dir_, target.c_str()) != 0)
            return Error::from_errno("rename to '" + target + "'");
        name_.clear();
        return {};
    }

  private:
    TempFile(int dir, UniqueFd fd, std::string name)
        : dir_(dir), fd_(std::move(fd)), name_(std::move(name)) {}
    int dir_;
    UniqueFd fd_;
    std::string name_;
};

Status take_over(int fd, const struct stat& old, const std::string& name) {
    struct stat now {};
    if (::fstat(fd, &now) != 0) return Error::from_errno("stat the new '" + name + "'");
    const bool same_owner = now.st_uid == old.st_uid && now.st_gid == old.st_gid;
    if (!same_owner && ::fchown(fd, old.st_uid, old.st_gid) != 0)
        return Error::from_errno("keep the owner of '" + name + "'");
    // After chown, which clears set-id bits.
    if (::fchmod(fd, old.st_mode & 07777U) != 0)
        return Error::from_errno("keep the mode of '" + name + "'");
    return {};
}

Result<std::optional<struct stat>> stat_at(int dir, const std::string& name) {
    struct stat found {};
    if (::fstatat(dir, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0) {
        if (!S_ISREG(found.st_mode)) return Error::invalid("'" + name + "' is not a regular file");
        return std::optional(found);
    }
    if (errno == ENOENT) return std::optional<struct stat>();
    return Error::from_errno("stat '" + name + "'");
}

Status fill(TempFile& temp, const std::optional<struct stat>& old, const std::string& name,
            std::string_view content, mode_t new_mode) {
    SLUICE_TRY(write_fd(temp.fd(), content));
    if (old) SLUICE_TRY(take_over(temp.fd(), *old, name));
    if (!old && ::fchmod(temp.fd(), new_mode) != 0)
        return Error::from_errno("set the mode of '" + name + "'");
    if (::fsync(temp.fd()) != 0) return Error::from_errno("fsync the new '" + name + "'");
    return {};
}

}  // namespace

Result<std::string> read_fd(int fd, std::size_t limit) {
    std::string content;
    std::array<char, 16384> chunk;
    for (;;) {
        const ssize_t got = ::read(fd, chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Error::from_errno("read");
        if (got == 0) return content;
        content.append(chunk.data(), static_cast<std::size_t>(got));
        if (content.size() > limit)
            return Error::invalid("larger than " + std::to_string(limit) + " bytes");
    }
}

Result<std::string> read_file(const std::filesystem::path& path, std::size_t limit) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
    if (!fd) return cannot("open", path, errno);
    auto content = read_fd(fd.get(), limit);
    if (!content) return std::move(content).error().context("read '" + path.string() + "'");
    return content;
}

Result<std::string> read_file_at(int dir, const std::string& name, std::size_t limit) {
    const UniqueFd fd(::openat(dir, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW));
    if (!fd) return cannot("open", name, errno);
    auto content = read_fd(fd.get(), limit);
    if (!content) return std::move(content).error().context("read '" + name + "'");
    return content;
}

Status write_fd(int fd, std::string_view content) {
    while (!content.empty()) {
        const ssize_t put = ::write(fd, content.data(), content.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return Error::from_errno("write");
        content.remove_prefix(static_cast<std::size_t>(put));
    }
    return {};
}

Status write_file_atomic(const std::filesystem::path& path, std::string_view content,
                         mode_t new_mode) {
    std::error_code ignored;
    const bool link = std::filesystem::is_symlink(path, ignored);
    const auto target = link ? std::filesystem::canonical(path, ignored) : path;
    if (target.empty()) return Error::failed("'" + path.string() + "' is a dangling symlink");
    const auto parent = target.has_parent_path() ? target.parent_path() : ".";
    const std::string name = target.filename().string();
    const UniqueFd dir(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!dir) return cannot("open", parent, errno);
    SLUICE_ASSIGN(const auto old, stat_at(dir.get(), name));
    SLUICE_ASSIGN(auto temp, TempFile::beside(dir.get(), name));
    SLUICE_TRY(fill(temp, old, name, content, new_mode));
    SLUICE_TRY(temp.rename_to(name));
    if (::fsync(dir.get()) != 0) return cannot("fsync", parent, errno);
    return {};
}

}  // namespace sluice::os
