// One connection's conversation without its input and output: bytes in, answers out.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "control/dispatch.h"
#include "control/message.h"
#include "control/peer.h"
#include "control/wire.h"

namespace sluice::control {

class Session {
  public:
    Session(const Dispatcher& dispatcher, Peer peer, Cgroups cgroups)
        : dispatcher_(dispatcher), peer_(peer), cgroups_(std::move(cgroups)) {}

    // A sender that lies inside a sandbox, or is gone, turns the connection into one that is
    // refused everything: somebody outside may have passed it in.
    void take(Received received);
    // Runs the next waiting message and answers it; nothing when none is complete.
    std::optional<std::string> next_answer();

  private:
    struct Message {
        LineBuffer::Line line;
        std::vector<UniqueFd> fds;
    };
    const Dispatcher& dispatcher_;
    Peer peer_;
    Cgroups cgroups_;
    LineBuffer lines_;
    std::deque<Message> ready_;
    std::vector<UniqueFd> early_fds_;  // came with the start of a message that is not complete
};

}  // namespace sluice::control
