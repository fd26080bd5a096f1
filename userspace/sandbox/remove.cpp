#include <csignal>

#include "sandbox/manager.h"

namespace sluice::sandbox {

namespace {

constexpr std::chrono::seconds kAfterKill{10};

// Ends every process. An error when some survive SIGKILL (stuck in the kernel).
Result<Removed> end_all(Cell& cell, std::chrono::milliseconds grace) {
    SLUICE_ASSIGN(const auto before, cell.processes());
    Removed removed;
    SLUICE_TRY(cell.signal_all(SIGTERM));
    SLUICE_ASSIGN(bool empty, cell.wait_empty(grace));
    if (!empty) {
        SLUICE_ASSIGN(const auto stubborn, cell.processes());
        removed.killed = stubborn.size();
        SLUICE_TRY(cell.kill_all());
        SLUICE_ASSIGN(empty, cell.wait_empty(kAfterKill));
    }
    removed.terminated = before.size() > removed.killed ? before.size() - removed.killed : 0;
    if (empty) return removed;
    return Error::failed("processes in '" + cell.path().string() +
                         "' outlive SIGKILL; the sandbox stays enforced, try again later");
}

}  // namespace

Result<Removed> Manager::remove(const std::string& name, std::chrono::milliseconds grace) {
    const auto found = records_.find(name);
    if (found == records_.end()) {
        return Error{Errc::kNotFound, 0, "there is no sandbox '" + name + "'"};
    }
    Cell& cell = *found->second.cell;
    auto removed = end_all(cell, grace);
    if (!removed) return std::move(removed).error().context("remove '" + name + "'");
    Status detached = kernel_.detach(cell.id());
    Status gone = cell.remove();
    if (!gone) return std::move(gone).error().context("remove '" + name + "'");
    records_.erase(found);
    if (!detached) return std::move(detached).error().context("remove '" + name + "'");
    return *removed;
}

}  // namespace sluice::sandbox
