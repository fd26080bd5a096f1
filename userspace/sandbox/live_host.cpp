#include "sandbox/live_host.h"

#include <utility>

#include "os/born_sockets.h"
#include "os/cgroup.h"
#include "os/identity.h"
#include "os/process.h"

namespace sluice::sandbox {

namespace {

class LiveCell final : public Cell {
  public:
    explicit LiveCell(os::Cgroup cgroup) : cgroup_(std::move(cgroup)) {}
    [[nodiscard]] int dir() const override { return cgroup_.dir(); }
    [[nodiscard]] CgroupId id() const override { return cgroup_.id(); }
    [[nodiscard]] const std::filesystem::path& path() const override { return cgroup_.path(); }
    Status add(pid_t pid) override { return cgroup_.add(pid); }
    Result<std::vector<pid_t>> processes() override { return cgroup_.processes(); }
    Status signal_all(int signal) override { return cgroup_.signal_all(signal); }
    Status kill_all() override { return cgroup_.kill_all(); }
    Result<bool> wait_empty(std::chrono::milliseconds timeout) override {
        return cgroup_.wait_empty(timeout);
    }
    Status remove() override { return cgroup_.remove(); }
    Result<kernel::BornSockets> born_sockets() override {
        SLUICE_ASSIGN(os::SocketsOfCgroup made, os::sockets_born_in(cgroup_));
        return kernel::BornSockets{.tcp4 = std::move(made.tcp4),
                                   .udp4 = std::move(made.udp4),
                                   .tcp6 = std::move(made.tcp6)};
    }

  private:
    os::Cgroup cgroup_;
};

}  // namespace

Result<std::unique_ptr<Cell>> LiveHost::make_cell(const std::filesystem::path& path) {
    SLUICE_ASSIGN(os::Cgroup cgroup, os::Cgroup::create(path));
    return std::unique_ptr<Cell>(std::make_unique<LiveCell>(std::move(cgroup)));
}

Status LiveHost::check_child(pid_t pid, int pidfd, pid_t parent) {
    SLUICE_ASSIGN(const pid_t behind, os::pid_of_pidfd(pidfd));
    if (behind != pid) {
        return Error::invalid("the pidfd is process " + std::to_string(behind) + ", not " +
                              std::to_string(pid));
    }
    SLUICE_ASSIGN(const bool child, os::is_child_of(pid, parent));
    if (!child) {
        return Error{Errc::kDenied, 0,
                     "process " + std::to_string(pid) + " is not a child of the caller (process " +
                         std::to_string(parent) + ")"};
    }
    return {};
}

std::string LiveHost::user_name(uid_t uid) {
    const auto who = os::identity_of(uid);
    return who ? who->user : std::string{};
}

Time LiveHost::now() {
    return std::chrono::system_clock::now();
}

}  // namespace sluice::sandbox
