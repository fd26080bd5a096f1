#include "os/sealed.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "os/files.h"

namespace sluice::os {
namespace {

constexpr int kSeals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

}  // namespace

Result<UniqueFd> make_sealed(const char* name, std::string_view text) {
    UniqueFd fd(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd) return Error::from_errno("make a file in memory");
    SLUICE_TRY(write_fd(fd.get(), text));
    if (::fcntl(fd.get(), F_ADD_SEALS, kSeals) != 0)
        return Error::from_errno("seal a file in memory");
    return fd;
}

Result<std::string> read_sealed(int fd, std::size_t limit) {
    const int seals = ::fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & kSeals) != kSeals)
        return Error::invalid(
            "the descriptor is no memfd sealed against write, shrink, grow, seal");
    struct stat found {};
    if (::fstat(fd, &found) != 0) return Error::from_errno("stat a sealed memfd");
    const auto size = static_cast<std::size_t>(found.st_size);
    if (size > limit)
        return Error::invalid("the sealed memfd has " + std::to_string(size) + " bytes, at most " +
                              std::to_string(limit) + " are read");
    std::string text(size, '\0');
    // Not by read(): the sender shares the offset.
    for (std::size_t at = 0; at < size;) {
        const ssize_t got = ::pread(fd, text.data() + at, size - at, static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Error::from_errno("read a sealed memfd");
        if (got == 0) return Error::failed("a sealed memfd is shorter than its size");
        at += static_cast<std::size_t>(got);
    }
    return text;
}

}  // namespace sluice::os
