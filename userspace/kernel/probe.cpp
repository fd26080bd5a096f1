#include "kernel/probe.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace sluice::kernel {
namespace {

Error lost(const std::string& what) {
    return {Errc::kLost, 0, "live probe: " + what + "; the sandbox is not enforced"};
}

// 192.0.2.1 and 2001:db8::1 are documentation addresses (RFC 5737, RFC 3849), port 0.
int try_connect4(int fd) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(0xc0000201);
    return connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

int try_connect6(int fd) {
    sockaddr_in6 to{};
    to.sin6_family = AF_INET6;
    to.sin6_addr.s6_addr[0] = 0x20;
    to.sin6_addr.s6_addr[1] = 0x01;
    to.sin6_addr.s6_addr[2] = 0x0d;
    to.sin6_addr.s6_addr[3] = 0xb8;
    to.sin6_addr.s6_addr[15] = 1;
    return connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

// A UDP connect to loopback is allowed, whatever the port (it sends nothing); the send is a packet,
// and only the packet hook can refuse it.
int try_datagram(int fd) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return 0;
    return send(fd, "", 1, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

Status must_be_refused(const std::string& hook, int result, std::uint64_t before,
                       const std::function<Result<std::uint64_t>()>& refusals) {
    const int saved = errno;
    if (result == 0) return lost(hook + " did not refuse");
    if (saved != EPERM)
        return lost(hook + " answered " + std::strerror(saved) + " where EPERM was due");
    SLUICE_ASSIGN(const auto after, refusals());
    if (after != before + 1) return lost("something refused, but " + hook + " did not count it");
    return {};
}

}  // namespace

Status probe_sockets(const BornSockets& sockets,
                     const std::function<Result<std::uint64_t>()>& refusals) {
    const auto check = [&](const char* hook, int fd, int (*attempt)(int)) -> Status {
        SLUICE_ASSIGN(const auto before, refusals());
        errno = 0;
        const int result = attempt(fd);
        return must_be_refused(hook, result, before, refusals);
    };
    SLUICE_TRY(check("connect4", sockets.tcp4.get(), try_connect4));
    if (sockets.tcp6) SLUICE_TRY(check("connect6", sockets.tcp6.get(), try_connect6));
    return check("egress", sockets.udp4.get(), try_datagram);
}

}  // namespace sluice::kernel
