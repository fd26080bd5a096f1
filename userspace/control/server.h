// Serves the control socket on one thread.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <memory>

#include "base/result.h"
#include "base/unique_fd.h"
#include "control/dispatch.h"
#include "control/peer.h"

namespace boost::asio {
class io_context;
}

namespace sluice::control {

class Server {
  public:
    // `dispatcher` and `io` must outlive the server.
    Server(boost::asio::io_context& io, const Dispatcher& dispatcher, Cgroups cgroups);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Makes the socket file (an old one is replaced), of this mode, and accepts from now on. The
    // destructor removes it.
    Status listen(const std::filesystem::path& socket, mode_t mode);

    // Serves one end of a socketpair with full authority; `closed` runs once when its peer is gone.
    Status serve(UniqueFd connected, std::function<void()> closed);

  private:
    struct State;
    std::shared_ptr<State> state_;
};

// Connections at once: in all, and of one uid that is not 0. More are told so and closed.
inline constexpr std::size_t kMaxConnections = 256;
inline constexpr std::size_t kMaxPerUid = 32;

}  // namespace sluice::control
