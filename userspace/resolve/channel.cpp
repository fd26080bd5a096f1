#include "resolve/channel.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <vector>

#include "base/unique_fd.h"

namespace sluice::resolve {

namespace {

using std::chrono::milliseconds;

// A silent server costs this long, then the next is asked; each is asked three times.
constexpr int kTries = 3;
constexpr milliseconds kServerTimeout{1000};
constexpr int kEdnsSize = 1232;  // fits every path unfragmented; more comes by TCP

Error ares_error(const std::string& doing, int status) {
    return Error::failed(doing + ": " + ares_strerror(status));
}

Status init_library() {
    static std::once_flag once;
    static int status = ARES_SUCCESS;
    std::call_once(once, [] { status = ares_library_init(ARES_LIB_INIT_ALL); });
    if (status != ARES_SUCCESS) return ares_error("start the resolver library", status);
    return {};
}

int close_socket(ares_socket_t fd, void*) {
    UniqueFd closing(fd);
    return 0;
}

int connect_socket(ares_socket_t fd, const sockaddr* to, ares_socklen_t size, void*) {
    return ::connect(fd, to, size);
}

ares_ssize_t send_socket(ares_socket_t fd, const iovec* parts, int count, void*) {
    // sendmsg() rather than writev(): a server that hangs up must not end us by SIGPIPE.
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(parts);
    message.msg_iovlen = static_cast<std::size_t>(count);
    const auto sent = ::sendmsg(fd, &message, MSG_NOSIGNAL);
    if (sent >= 0 || errno != ECONNREFUSED) return sent;
    // A UDP socket reports the refusal of its previous packet here, once. Sent again, this packet
    // is refused for itself and seen by poll(), so the questions before it don't wait for a
    // time-out.
    return ::sendmsg(fd, &message, MSG_NOSIGNAL);
}

std::string with_port(const std::string& ip, std::uint16_t port, bool v6) {
    if (port == 53) return ip;
    return (v6 ? "[" + ip + "]" : ip) + ":" + std::to_string(port);
}

std::string peer_text(ares_socket_t fd) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    if (fd < 0 || ::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) return {};
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (peer.ss_family == AF_INET) {
        const auto* in = reinterpret_cast<const sockaddr_in*>(&peer);
        ::inet_ntop(AF_INET, &in->sin_addr, text.data(), text.size());
        return with_port(text.data(), ntohs(in->sin_port), false);
    }
    const auto* in6 = reinterpret_cast<const sockaddr_in6*>(&peer);
    ::inet_ntop(AF_INET6, &in6->sin6_addr, text.data(), text.size());
    return with_port(text.data(), ntohs(in6->sin6_port), true);
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) text += (text.empty() ? "" : ",") + word;
    return text;
}

}  // namespace

struct Channel::Question {
    Channel* channel;
    Done done;
};

Result<std::unique_ptr<Channel>> Channel::open(const Options& options) {
    SLUICE_TRY(init_library());
    std::unique_ptr<Channel> channel(new Channel);
    SLUICE_TRY(channel->start(options));
    return channel;
}

Status Channel::start(const Options& options) {
    std::string resolv_conf = options.resolv_conf.string();
    ares_options settings{};
    // No search list, no HOSTALIASES: a rule's name is absolute.
    settings.flags = ARES_FLAG_EDNS | ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES;
    settings.ednspsz = kEdnsSize;
    settings.tries = kTries;
    settings.timeout = static_cast<int>(
        std::clamp(options.deadline / 4, milliseconds(50), kServerTimeout).count());
    settings.sock_state_cb = &Channel::on_state;
    settings.sock_state_cb_data = this;
    settings.resolvconf_path = resolv_conf.data();
    const int mask = ARES_OPT_FLAGS | ARES_OPT_EDNSPSZ | ARES_OPT_TRIES | ARES_OPT_TIMEOUTMS |
                     ARES_OPT_SOCK_STATE_CB | ARES_OPT_RESOLVCONF;
    if (const int status = ares_init_options(&channel_, &settings, mask); status != ARES_SUCCESS) {
        channel_ = nullptr;
        return ares_error("start the resolver with '" + resolv_conf + "'", status);
    }
    static const ares_socket_functions functions{&Channel::make_socket, &close_socket,
                                                 &connect_socket, &Channel::receive, &send_socket};
    ares_set_socket_functions(channel_, &functions, this);
    if (options.servers.empty()) return {};
    const auto servers = joined(options.servers);
    if (const int status = ares_set_servers_ports_csv(channel_, servers.c_str());
        status != ARES_SUCCESS) {
        return Error::invalid("DNS servers '" + servers +
                              "' can't be read; write them as 192.0.2.1:53 or [2001:db8::1]:53");
    }
    return {};
}

Channel::~Channel() {
    if (channel_ != nullptr) ares_destroy(channel_);
}

void Channel::query(const std::string& name, RecordType type, Done done) {
    auto* question = new Question{this, std::move(done)};
    ++open_questions_;
    ares_query(channel_, name.c_str(), 1 /* class IN */, static_cast<int>(type),
               &Channel::on_answer, question);
}

void Channel::run(std::chrono::steady_clock::time_point deadline) {
    while (open_questions_ > 0) {
        if (!wait(deadline)) ares_cancel(channel_);
    }
}

// One round of poll and processing. False: the deadline has come, or polling is impossible.
bool Channel::wait(std::chrono::steady_clock::time_point deadline) {
    using namespace std::chrono;
    const auto left = ceil<milliseconds>(deadline - steady_clock::now());
    if (left <= milliseconds(0)) return false;
    timeval most{.tv_sec = left.count() / 1000, .tv_usec = (left.count() % 1000) * 1000};
    timeval next{};
    const auto* until = ares_timeout(channel_, &most, &next);
    std::vector<pollfd> fds;
    fds.reserve(interest_.size());
    for (const auto& [fd, events] : interest_) fds.push_back({fd, events, 0});
    const int timeout = static_cast<int>(until->tv_sec * 1000 + (until->tv_usec + 999) / 1000);
    const int ready = ::poll(fds.data(), fds.size(), timeout);
    if (ready < 0) return errno == EINTR;
    for (const auto& [fd, events, seen] : fds) {
        // An earlier callback of this round may have closed it.
        if (seen == 0 || !interest_.contains(fd)) continue;
        const bool broken = (seen & (POLLERR | POLLHUP)) != 0;
        ares_process_fd(channel_, broken || (seen & POLLIN) != 0 ? fd : ARES_SOCKET_BAD,
                        (seen & POLLOUT) != 0 ? fd : ARES_SOCKET_BAD);
    }
    // Time-outs only: a question whose server stayed silent goes to the next one.
    last_read_ = ARES_SOCKET_BAD;
    ares_process_fd(channel_, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    return true;
}

void Channel::on_state(void* self, ares_socket_t fd, int readable, int writable) {
    auto& interest = static_cast<Channel*>(self)->interest_;
    const auto events =
        static_cast<short>((readable != 0 ? POLLIN : 0) | (writable != 0 ? POLLOUT : 0));
    if (events == 0) {
        interest.erase(fd);
    } else {
        interest[fd] = events;
    }
}

void Channel::on_answer(void* raw, int status, int, unsigned char* data, int size) {
    const std::unique_ptr<Question> question(static_cast<Question*>(raw));
    auto& channel = *question->channel;
    --channel.open_questions_;
    Reply reply{.status = status, .packet = {}, .server = {}};
    if (data != nullptr && size > 0) {
        reply.packet = {data, static_cast<std::size_t>(size)};
        reply.server = peer_text(channel.last_read_);
    }
    question->done(reply);
}

ares_socket_t Channel::make_socket(int family, int type, int protocol, void*) {
    return ::socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
}

ares_ssize_t Channel::receive(ares_socket_t fd, void* buffer, size_t size, int flags,
                              sockaddr* from, ares_socklen_t* from_size, void* self) {
    // The answer's callback runs before the next read: this is how it knows who answered.
    static_cast<Channel*>(self)->last_read_ = fd;
    return ::recvfrom(fd, buffer, size, flags, from, from_size);
}

}  // namespace sluice::resolve
