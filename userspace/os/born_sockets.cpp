#include "os/born_sockets.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace sluice::os {
namespace {

constexpr int kReplyMs = 5000;

struct Wanted {
    int family, type;
    const char* name;
};
constexpr std::array<Wanted, 3> kWanted{{{AF_INET, SOCK_STREAM, "TCP over IPv4"},
                                         {AF_INET, SOCK_DGRAM, "UDP over IPv4"},
                                         {AF_INET6, SOCK_STREAM, "TCP over IPv6"}}};
constexpr int kJoin = -1;  // Answer::failed: not a socket, but entering the cgroup

// What the child sends, with `sockets` descriptors beside it.
struct Answer {
    int sys_errno = 0;  // 0: all made
    int failed = 0;     // index into kWanted, or kJoin
    int sockets = 0;
};

union Control {
    cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int) * kWanted.size())];
};

// ---- in the child: async-signal-safe calls only, the caller may have threads ----

void reply(int channel, const Answer& answer, const int* fds) {
    Answer copy = answer;
    iovec data{.iov_base = &copy, .iov_len = sizeof copy};
    Control control{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    const std::size_t size = sizeof(int) * static_cast<std::size_t>(answer.sockets);
    if (size > 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(size);
        cmsghdr* head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(size);
        std::memcpy(CMSG_DATA(head), fds, size);
    }
    (void)::sendmsg(channel, &message, MSG_NOSIGNAL);
}

[[noreturn]] void child_main(int channel, int join_file) {
    Answer answer;
    std::array<int, kWanted.size()> fds{};
    if (join_file >= 0 && ::write(join_file, "0", 1) < 0) {
        answer.sys_errno = errno;
        answer.failed = kJoin;
    }
    for (int i = 0; i < static_cast<int>(kWanted.size()) && answer.sys_errno == 0; ++i) {
        const Wanted& wanted = kWanted[static_cast<std::size_t>(i)];
        const int fd = ::socket(wanted.family, wanted.type | SOCK_CLOEXEC, 0);
        if (fd >= 0) {
            fds[static_cast<std::size_t>(answer.sockets++)] = fd;
        } else if (wanted.family != AF_INET6 || errno != EAFNOSUPPORT) {
            answer.sys_errno = errno;
            answer.failed = i;
        }
    }
    if (answer.sys_errno != 0) answer.sockets = 0;
    reply(channel, answer, fds.data());
    ::_exit(0);
}

// ---- in the caller ----

// Born in the cgroup where clone3 can do that. No exit signal: a SIGCHLD handler or a
// waitpid(-1) of the caller's never sees this child.
pid_t clone_into(int cgroup_dir) {
    clone_args args{};
    args.flags = CLONE_INTO_CGROUP;
    args.cgroup = static_cast<__u64>(cgroup_dir);
    return static_cast<pid_t>(::syscall(SYS_clone3, &args, sizeof args));
}

struct Child {
    pid_t pid = -1;
    UniqueFd channel;

    Child(pid_t p, UniqueFd c) : pid(p), channel(std::move(c)) {}
    Child(Child&& other) noexcept
        : pid(std::exchange(other.pid, -1)), channel(std::move(other.channel)) {}
    Child& operator=(Child&&) = delete;
    ~Child() {
        if (pid <= 0) return;
        // It may still wait in a frozen cgroup; SIGKILL ends it there too.
        ::kill(pid, SIGKILL);
        while (::waitpid(pid, nullptr, __WALL) < 0 && errno == EINTR) continue;
    }
};

Result<Child> start_child(const Cgroup& cgroup) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return Error::from_errno("make a socket pair");
    UniqueFd ours(ends[0]);
    const UniqueFd childs(ends[1]);
    pid_t pid = clone_into(cgroup.dir());
    if (pid == 0) child_main(childs.get(), -1);
    if (pid > 0) return Child(pid, std::move(ours));
    // An old kernel, or a seccomp filter without clone3 (container engines: ENOSYS or EPERM).
    const UniqueFd join(::openat(cgroup.dir(), "cgroup.procs", O_WRONLY | O_CLOEXEC));
    if (!join) return Error::from_errno("open cgroup.procs of '" + cgroup.path().string() + "'");
    pid = ::_Fork();
    if (pid == 0) child_main(childs.get(), join.get());
    if (pid < 0) return Error::from_errno("fork");
    return Child(pid, std::move(ours));
}

Status wait_for_answer(int channel, const Cgroup& cgroup) {
    pollfd waited{.fd = channel, .events = POLLIN, .revents = 0};
    int ready = 0;
    do ready = ::poll(&waited, 1, kReplyMs);
    while (ready < 0 && errno == EINTR);
    if (ready < 0) return Error::from_errno("wait for the child");
    if (ready == 0)
        return Error::failed("a process in '" + cgroup.path().string() +
                             "' does not run; is the cgroup frozen?");
    return {};
}

struct Received {
    Answer answer;
    std::array<UniqueFd, kWanted.size()> fds;
};

Result<Received> receive(int channel) {
    Received received;
    iovec data{.iov_base = &received.answer, .iov_len = sizeof received.answer};
    Control control{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    const ssize_t got = ::recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
    if (got < 0) return Error::from_errno("receive the sockets");
    int count = 0;
    if (const cmsghdr* head = CMSG_FIRSTHDR(&message);
        head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        count = static_cast<int>((head->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        for (int i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(head) + sizeof(int) * static_cast<std::size_t>(i),
                        sizeof fd);
            received.fds[static_cast<std::size_t>(i)].reset(fd);
        }
    }
    if (got != sizeof received.answer || count != received.answer.sockets)
        return Error::failed("the child that makes the sockets died or lost some on the way");
    return received;
}

}  // namespace

Result<SocketsOfCgroup> sockets_born_in(const Cgroup& cgroup) {
    SLUICE_ASSIGN(const Child child, start_child(cgroup));
    SLUICE_TRY(wait_for_answer(child.channel.get(), cgroup));
    SLUICE_ASSIGN(Received received, receive(child.channel.get()));
    const Answer& answer = received.answer;
    if (answer.sys_errno != 0) {
        const char* what = answer.failed == kJoin
                               ? "enter the cgroup"
                               : kWanted[static_cast<std::size_t>(answer.failed)].name;
        return Error::from_errno(
            std::string("make a probe socket in '") + cgroup.path().string() + "' (" + what + ")",
            answer.sys_errno);
    }
    return SocketsOfCgroup{.tcp4 = std::move(received.fds[0]),
                           .udp4 = std::move(received.fds[1]),
                           .tcp6 = std::move(received.fds[2])};
}

}  // namespace sluice::os
