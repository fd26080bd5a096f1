#include "control/session.h"

#include <iterator>

namespace sluice::control {

void Session::take(Received received) {
    if (received.sender && inside_sandbox(*received.sender, cgroups_)) peer_.inside = true;
    const std::size_t before = ready_.size();
    lines_.feed(received.bytes);
    while (auto line = lines_.next()) {
        ready_.push_back({std::move(*line), std::exchange(early_fds_, {})});
    }
    // Descriptors belong to the last bytes of a read: to the unfinished message, else to the last.
    const bool of_last = !lines_.partial() && ready_.size() > before;
    auto& owner = of_last ? ready_.back().fds : early_fds_;
    std::move(received.fds.begin(), received.fds.end(), std::back_inserter(owner));
    if (owner.size() > kMaxFds || received.fds_lost) owner.clear();
}

std::optional<std::string> Session::next_answer() {
    if (ready_.empty()) return std::nullopt;
    Message message = std::move(ready_.front());
    ready_.pop_front();
    return dispatcher_.answer(peer_, message.line, std::move(message.fds));
}

}  // namespace sluice::control
