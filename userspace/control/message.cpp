#include "control/message.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace sluice::control {

namespace {

constexpr std::size_t kControlSize =
    CMSG_SPACE(sizeof(int) * kMaxFds) + CMSG_SPACE(sizeof(struct ucred));

void take_control(msghdr& message, Received& into) {
    for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_SOCKET) continue;
        if (c->cmsg_type == SCM_RIGHTS) {
            const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (std::size_t i = 0; i < count; ++i) {
                int fd = -1;
                std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
                into.fds.emplace_back(fd);
            }
        } else if (c->cmsg_type == SCM_CREDENTIALS) {
            struct ucred who {};
            std::memcpy(&who, CMSG_DATA(c), sizeof who);
            into.sender = who.pid;
        }
    }
}

void put_fds(msghdr& message, std::span<const int> fds) {
    message.msg_controllen = CMSG_SPACE(fds.size_bytes());
    cmsghdr* c = CMSG_FIRSTHDR(&message);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(c), fds.data(), fds.size_bytes());
}

ssize_t send_once(int socket, std::string_view bytes, std::span<const int> fds) {
    alignas(cmsghdr) std::array<char, kControlSize> control{};
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (!fds.empty()) {
        message.msg_control = control.data();
        put_fds(message, fds);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

Status wait_writable(int socket, int deadline_ms) {
    pollfd wait{socket, POLLOUT, 0};
    for (;;) {
        const int ready = poll(&wait, 1, deadline_ms);
        if (ready > 0) return {};
        if (ready == 0) return Error::failed("the peer does not read");
        if (errno != EINTR) return Error::from_errno("wait for the control socket");
    }
}

}  // namespace

Result<Received> receive(int socket) {
    std::array<char, 65536> bytes;  // NOLINT: filled by recvmsg
    alignas(cmsghdr) std::array<char, kControlSize> control{};
    iovec part{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t got = 0;
    do {
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return Error::from_errno("read from the control socket");
    Received received;
    received.bytes.assign(bytes.data(), static_cast<std::size_t>(got));
    take_control(message, received);
    received.fds_lost = (message.msg_flags & MSG_CTRUNC) != 0;
    return received;
}

Status send_all(int socket, std::string_view bytes, std::span<const int> fds, int deadline_ms) {
    if (fds.size() > kMaxFds) {
        return Error::invalid("a message carries at most " + std::to_string(kMaxFds) +
                              " file descriptors");
    }
    while (!bytes.empty()) {
        const ssize_t sent = send_once(socket, bytes, fds);
        if (sent >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(sent));
            fds = {};
        } else if (errno == EAGAIN) {
            SLUICE_TRY(wait_writable(socket, deadline_ms));
        } else if (errno != EINTR) {
            return Error::from_errno("write to the control socket");
        }
    }
    return {};
}

}  // namespace sluice::control
