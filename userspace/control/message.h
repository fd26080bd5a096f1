// Bytes with file descriptors and the sender's credentials over a Unix stream socket.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace sluice::control {

struct Received {
    std::string bytes;  // empty: the peer closed its end
    std::vector<UniqueFd> fds;
    bool fds_lost = false;        // more came than anyone may send
    std::optional<pid_t> sender;  // by SO_PASSCRED; 0: not visible from our pid namespace
};

inline constexpr std::size_t kMaxFds = 8;

// One recvmsg() that never blocks; sys_errno is EAGAIN when nothing is there. Descriptors come
// close-on-exec and belong to the last bytes returned: the kernel ends a read after them.
Result<Received> receive(int socket);

// Sends all of `bytes`, the descriptors with the first of them. Waits (poll) up to `deadline_ms`
// for room; -1: for ever.
Status send_all(int socket, std::string_view bytes, std::span<const int> fds, int deadline_ms);

}  // namespace sluice::control
