#include "control/server.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <cstring>
#include <map>

#include "control/message.h"
#include "control/session.h"

namespace sluice::control {

namespace asio = boost::asio;
using boost::system::error_code;
using Socket = asio::local::stream_protocol::socket;

namespace {

// Completion token: suspend the coroutine, put the outcome into `ec`.
auto into(error_code& ec) {
    return asio::redirect_error(asio::use_awaitable, ec);
}

Status bind_listener(int fd, const std::filesystem::path& path, mode_t mode) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string& text = path.native();
    if (text.size() >= sizeof address.sun_path) {
        return Error::invalid("socket path '" + text + "' is too long");
    }
    std::memcpy(address.sun_path, text.data(), text.size());
    ::unlink(text.c_str());
    if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return Error::from_errno("bind the control socket '" + text + "'");
    }
    if (::chmod(text.c_str(), mode) != 0) return Error::from_errno("chmod '" + text + "'");
    if (::listen(fd, 64) != 0) return Error::from_errno("listen on '" + text + "'");
    return {};
}

// Accepted sockets inherit it, so that even what was sent before the accept names its sender.
Status pass_credentials(int fd) {
    const int on = 1;
    if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) != 0) {
        return Error::from_errno("set SO_PASSCRED");
    }
    return {};
}

}  // namespace

struct Server::State : std::enable_shared_from_this<State> {
    State(asio::io_context& context, const Dispatcher& table, Cgroups lookup)
        : io(context), dispatcher(table), cgroups(std::move(lookup)), listener(context) {}

    asio::io_context& io;
    const Dispatcher& dispatcher;
    Cgroups cgroups;
    asio::posix::stream_descriptor listener;
    std::filesystem::path path;
    std::size_t connections = 0;
    std::map<uid_t, std::size_t> by_uid;
    bool stopped = false;

    asio::awaitable<void> accept_all();
    void admit(UniqueFd fd);
    asio::awaitable<void> converse(UniqueFd fd, Peer peer, std::function<void()> closed);
    asio::awaitable<void> exchange(Socket& socket, Session& session);
};

asio::awaitable<void> Server::State::accept_all() {
    auto self = shared_from_this();
    asio::steady_timer pause(io);
    while (!stopped) {
        error_code ec;
        co_await listener.async_wait(asio::posix::descriptor_base::wait_read, into(ec));
        if (ec) co_return;
        UniqueFd fd(
            ::accept4(listener.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (fd) {
            admit(std::move(fd));
        } else if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR) {
            // Out of descriptors or memory: the connection stays in the queue; don't spin on it.
            pause.expires_after(std::chrono::milliseconds(100));
            co_await pause.async_wait(into(ec));
        }
    }
}

void Server::State::admit(UniqueFd fd) {
    auto peer = peer_of(fd.get(), cgroups);
    if (!peer) return;
    const bool room =
        connections < kMaxConnections && (peer->uid == 0 || by_uid[peer->uid] < kMaxPerUid);
    if (!room) {
        const std::string text =
            encode_error(nullptr, {kSluiceError, "too many connections to the agent", "failed",
                                   "close some and try again"}) +
            "\n";
        (void)send_all(fd.get(), text, {}, 0);
        return;
    }
    asio::co_spawn(io, converse(std::move(fd), *peer, {}), asio::detached);
}

asio::awaitable<void> Server::State::converse(UniqueFd fd, Peer peer,
                                              std::function<void()> closed) {
    auto self = shared_from_this();
    ++connections;
    ++by_uid[peer.uid];
    {
        Session session(dispatcher, peer, cgroups);
        Socket socket(io);
        error_code ec;
        socket.assign(asio::local::stream_protocol(), fd.get(), ec);
        if (!ec) {
            (void)fd.release();
            co_await exchange(socket, session);
        }
    }
    --connections;
    if (--by_uid[peer.uid] == 0) by_uid.erase(peer.uid);
    if (closed && !stopped) closed();
}

asio::awaitable<void> Server::State::exchange(Socket& socket, Session& session) {
    for (;;) {
        error_code ec;
        co_await socket.async_wait(Socket::wait_read, into(ec));
        if (ec) co_return;
        auto got = receive(socket.native_handle());
        if (!got && got.error().sys_errno == EAGAIN) continue;
        if (!got || got->bytes.empty()) co_return;
        session.take(std::move(*got));
        while (auto line = session.next_answer()) {
            *line += '\n';
            co_await asio::async_write(socket, asio::buffer(*line), into(ec));
            if (ec) co_return;
        }
    }
}

Server::Server(asio::io_context& io, const Dispatcher& dispatcher, Cgroups cgroups)
    : state_(std::make_shared<State>(io, dispatcher, std::move(cgroups))) {}

Server::~Server() {
    state_->stopped = true;
    error_code ec;
    state_->listener.close(ec);
    if (!state_->path.empty()) ::unlink(state_->path.c_str());
}

Status Server::listen(const std::filesystem::path& socket, mode_t mode) {
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd) return Error::from_errno("make the control socket");
    SLUICE_TRY(pass_credentials(fd.get()));
    SLUICE_TRY(bind_listener(fd.get(), socket, mode));
    state_->path = socket;
    error_code ec;
    state_->listener.assign(fd.get(), ec);
    if (ec) return Error::failed("watch the control socket: " + ec.message());
    (void)fd.release();
    asio::co_spawn(state_->io, state_->accept_all(), asio::detached);
    return {};
}

Status Server::serve(UniqueFd connected, std::function<void()> closed) {
    // No SO_PASSCRED here: what was sent before it was set would come without its sender. Whoever
    // made the pair answers for who holds its other end.
    SLUICE_ASSIGN(Peer peer, peer_of(connected.get(), state_->cgroups));
    peer.full = true;
    asio::co_spawn(state_->io, state_->converse(std::move(connected), peer, std::move(closed)),
                   asio::detached);
    return {};
}

}  // namespace sluice::control
