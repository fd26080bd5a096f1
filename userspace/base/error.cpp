#include "base/error.h"

#include <cerrno>
#include <system_error>

namespace sluice {

Error Error::context(std::string_view doing) && {
    message = std::string(doing) + ": " + message;
    return std::move(*this);
}

Error Error::from_errno(std::string_view doing) {
    return from_errno(doing, errno);
}

Error Error::from_errno(std::string_view doing, int saved_errno) {
    Errc code = Errc::kFailed;
    if (saved_errno == ENOENT) code = Errc::kNotFound;
    if (saved_errno == EPERM || saved_errno == EACCES) code = Errc::kDenied;
    return {code, saved_errno,
            std::string(doing) + ": " + std::generic_category().message(saved_errno)};
}

int exit_code(Errc code) {
    switch (code) {
        case Errc::kInvalid:
            return 2;
        case Errc::kUnsupported:
            return 3;
        case Errc::kLost:
            return 4;
        case Errc::kFailed:
        case Errc::kNotFound:
        case Errc::kDenied:
            return 1;
    }
    return 1;
}

}  // namespace sluice
