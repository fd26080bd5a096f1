#include "control/client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "control/message.h"
#include "control/wire.h"

namespace sluice::control {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

namespace {

// Far above any real list; only there so that a broken agent can't eat the caller's memory.
constexpr std::size_t kMaxAnswer = std::size_t{256} << 20;

Error lost(std::string what) {
    return {Errc::kLost, 0, std::move(what)};
}

int remaining_ms(Clock::time_point deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    return left < 0 ? 0 : static_cast<int>(std::min<long long>(left, 1 << 30));
}

Status wait_readable(int socket, Clock::time_point deadline, const std::string& method) {
    pollfd wait{socket, POLLIN, 0};
    for (;;) {
        const int ready = poll(&wait, 1, remaining_ms(deadline));
        if (ready > 0) return {};
        if (ready == 0) return Error::failed("the agent did not answer " + method + " in time");
        if (errno != EINTR) return Error::from_errno("wait for the agent's answer");
    }
}

// The outcome when this line answers `id`; nothing when it is something else.
std::optional<Result<json>> match(const std::string& line, std::int64_t id) {
    if (nested_too_deep(line)) return Result<json>(lost("the agent's answer is nested too deep"));
    json answer = json::parse(line, nullptr, false);
    if (!answer.is_object()) return Result<json>(lost("the agent's answer is not JSON"));
    const json of = answer.value("id", json());
    if (answer.contains("error") && (of == id || of.is_null())) {
        return Result<json>(from_rpc(answer["error"]));
    }
    if (of != id || !answer.contains("result")) return std::nullopt;
    return Result<json>(std::move(answer["result"]));
}

}  // namespace

Result<Client> Client::connect(const std::filesystem::path& socket) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string& text = socket.native();
    if (text.size() >= sizeof address.sun_path) {
        return Error::invalid("socket path '" + text + "' is longer than " +
                              std::to_string(sizeof address.sun_path - 1) + " bytes");
    }
    std::memcpy(address.sun_path, text.data(), text.size());
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd) return Error::from_errno("make a control socket");
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return Error::from_errno("connect to the agent at '" + text + "'");
    }
    return Client(std::move(fd));
}

Client Client::adopt(UniqueFd connected) {
    return Client(std::move(connected));
}

Result<json> Client::call(const std::string& method, const json& params, std::span<const int> fds,
                          std::chrono::milliseconds budget) {
    const auto deadline = Clock::now() + budget;
    const std::int64_t id = next_id_++;
    const std::string request = encode_request(id, method, params) + "\n";
    if (request.size() > kMaxMessage) {
        return Error::invalid(method + ": the request is " + std::to_string(request.size()) +
                              " bytes; the agent takes " + std::to_string(kMaxMessage));
    }
    if (auto sent = send_all(socket_.get(), request, fds, remaining_ms(deadline)); !sent) {
        if (sent.error().sys_errno == 0) return std::move(sent).error().context(method);
        return lost(method + ": the agent went away (" + sent.error().message + ")");
    }
    LineBuffer lines(kMaxAnswer);
    lines.feed(std::exchange(unread_, {}));
    for (;;) {
        while (auto line = lines.next()) {
            if (line->oversized) return lost(method + ": the agent's answer is too long");
            auto outcome = match(line->text, id);
            if (!outcome) continue;
            unread_ = lines.take_rest();
            return std::move(*outcome);
        }
        SLUICE_TRY(wait_readable(socket_.get(), deadline, method));
        auto got = receive(socket_.get());
        if (!got && got.error().sys_errno == EAGAIN) continue;
        if (!got) return lost(method + ": the agent went away (" + got.error().message + ")");
        if (got->bytes.empty()) return lost(method + ": the agent closed the connection");
        lines.feed(got->bytes);
    }
}

}  // namespace sluice::control
