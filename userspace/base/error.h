// The one error type of the project: what kind, which errno, and a sentence for a person.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// Kinds a caller acts on. The process exit code follows from the kind (see exit_code()).
enum class Errc {
    kFailed,       // it did not work; the message says why
    kInvalid,      // the caller's input is wrong: usage, policy, protocol
    kNotFound,     // the named thing does not exist
    kDenied,       // the caller may not do this
    kUnsupported,  // this kernel or host cannot do it
    kLost,         // enforcement that was active no longer is
};

struct Error {
    Errc code = Errc::kFailed;
    int sys_errno = 0;    // 0 where no system call was involved
    std::string message;  // quotes the offending value, says what to do; no trailing full stop

    // Puts what was being done in front: "attach connect4: Operation not permitted".
    Error context(std::string_view doing) &&;

    static Error invalid(std::string message) { return {Errc::kInvalid, 0, std::move(message)}; }
    static Error failed(std::string message) { return {Errc::kFailed, 0, std::move(message)}; }
    static Error unsupported(std::string message) {
        return {Errc::kUnsupported, 0, std::move(message)};
    }
    // "DOING: STRERROR". Takes errno's value as it is when called.
    static Error from_errno(std::string_view doing);
    static Error from_errno(std::string_view doing, int saved_errno);
};

// 0 is success; 1 failed, 2 invalid, 3 unsupported, 4 lost. See docs/operations.md.
int exit_code(Errc code);

}  // namespace sluice
