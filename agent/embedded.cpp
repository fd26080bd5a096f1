#include "agent/embedded.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "agent/cgroup_watch.h"
#include "agent/events.h"
#include "agent/methods.h"
#include "agent/run_dir.h"
#include "control/server.h"
#include "os/bpffs.h"
#include "os/cgroup.h"
#include "resolve/resolver.h"
#include "sandbox/live_host.h"
#include "sandbox/live_kernel.h"

namespace sluice::agent {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::milliseconds kGrace{2000};
constexpr std::chrono::milliseconds kResolveDeadline{5000};

// Everything the run needs, in the order that it has to go.
class Embedded {
  public:
    Embedded(RunDir run_dir, kernel::Enforcer enforcer, sandbox::Settings settings,
             const EmbeddedOptions& options)
        : options_(options),
          run_dir_(std::move(run_dir)),
          kernel_(std::move(enforcer)),
          manager_(std::move(settings), kernel_, host_,
                   [](const std::vector<DnsName>& names) {
                       resolve::Options how;
                       how.deadline = kResolveDeadline;
                       return resolve::resolve(names, how);
                   }),
          services_{manager_,
                    kernel_,
                    {SLUICE_VERSION, options.name, std::chrono::steady_clock::now()},
                    [this] { asio::post(io_, [this] { look(); }); }},
          events_(io_, kernel_.enforcer()),
          watch_(io_),
          signals_(io_, SIGTERM) {}

    Status run();

  private:
    void look();
    void linger(const sandbox::Record& record);
    void end();

    EmbeddedOptions options_;
    asio::io_context io_{1};
    RunDir run_dir_;
    sandbox::LiveKernel kernel_;
    sandbox::LiveHost host_;
    sandbox::Manager manager_;
    Services services_;
    control::Dispatcher dispatcher_;
    EventLog events_;
    CgroupWatch watch_;
    asio::signal_set signals_;
    bool caller_gone_ = false;
    bool lingering_ = false;
    Status outcome_;
};

Status Embedded::run() {
    add_methods(dispatcher_, services_);
    SLUICE_ASSIGN(std::string sandboxes, os::sandboxes_path());
    control::Server server(io_, dispatcher_, {os::cgroup_of, std::move(sandboxes)});
    SLUICE_TRY(server.listen(run_dir_.socket(), 0666));
    SLUICE_TRY(server.serve(UniqueFd(options_.control_fd), [this] {
        caller_gone_ = true;
        look();
    }));
    SLUICE_TRY(events_.start());
    signals_.async_wait([this](boost::system::error_code ec, int) {
        if (!ec) end();
    });
    io_.run();
    return std::move(outcome_);
}

// After anything that may be the end of the run.
void Embedded::look() {
    if (!caller_gone_) return;
    const sandbox::Record* record = manager_.find(options_.name);
    if (record == nullptr || !record->detach) return end();
    const auto left = record->cell->processes();
    if (left && left->empty()) return end();
    if (!lingering_) linger(*record);
}

// The caller left on purpose; the sandbox goes on until its last process ends.
void Embedded::linger(const sandbox::Record& record) {
    lingering_ = true;
    spdlog::info("'{}' goes on without its caller until its last process ends", record.name);
    if (auto watching = watch_.start(record.cell->path(), [this] { look(); }); !watching) {
        spdlog::error("'{}' can't be watched and ends: {}", record.name, watching.error().message);
        end();
    }
}

void Embedded::end() {
    if (manager_.find(options_.name) != nullptr) {
        auto removed = manager_.remove(options_.name, kGrace);
        if (!removed) outcome_ = std::move(removed).error();
    }
    // What could not be removed stays enforced by its pins.
    if (manager_.all().empty()) {
        if (auto cleared = run_dir_.remove_pins(); !cleared) outcome_ = std::move(cleared);
    }
    io_.stop();
}

}  // namespace

Status run_embedded(const EmbeddedOptions& options) {
    SLUICE_TRY(sandbox::check_name(options.name));
    SLUICE_ASSIGN(const auto cgroup2, os::find_cgroup2());
    SLUICE_ASSIGN(const os::Bpffs bpffs, os::find_or_mount_bpffs());
    sandbox::Settings settings{.cgroup_root = cgroup2 / "sluice",
                               .policy_dir = options.policy_dir,
                               .preset_dir = options.preset_dir,
                               .degraded = {}};
    if (!bpffs.host_visible) {
        settings.degraded.push_back("private_bpffs: " + bpffs.path.string() +
                                    " is private to this mount namespace: enforcement ends with "
                                    "its last process");
    }
    SLUICE_ASSIGN(RunDir run_dir, RunDir::take({.run_dir = options.run_dir,
                                                .cgroup_root = settings.cgroup_root,
                                                .pin_root = bpffs.path / "sluice"},
                                               options.name));
    SLUICE_ASSIGN(auto enforcer, kernel::Enforcer::load({.pin_dir = run_dir.pins()}));
    Embedded embedded(std::move(run_dir), std::move(enforcer), std::move(settings), options);
    return embedded.run();
}

}  // namespace sluice::agent
