#include "purge.h"

#include <set>

#include "control/client.h"
#include "os/bpffs.h"
#include "os/cgroup.h"
#include "os/files.h"
#include "os/run_lock.h"
#include "style.h"

namespace sluice::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kAfterKill{10};

void add_names(std::set<std::string>& names, const fs::path& dir) {
    std::error_code ec;
    for (fs::directory_iterator it(dir, ec), end; !ec && it != end; it.increment(ec)) {
        if (it->is_directory(ec)) names.insert(it->path().filename());
    }
}

// One name's leftovers.
class Leftover {
  public:
    Leftover(const Roots& roots, const std::string& name, Purged& report)
        : roots_(roots), name_(name), report_(report) {}

    void purge(bool force) {
        // While we hold the lock no agent of this name starts.
        auto lock = os::lock_run_dir(run());
        if (!lock) return failed("lock it", lock.error());
        if (!*lock) {
            if (force) return end_living();
            return report_.running.push_back(name_);
        }
        if (clear_cgroup(force)) {
            remove(roots_.pins, "pins");
            remove(roots_.run_dir / "run", (*lock)->made ? nullptr : "run directory");
        } else if ((*lock)->made) {
            remove(roots_.run_dir / "run", nullptr);
        }
    }

  private:
    [[nodiscard]] fs::path run() const { return roots_.run_dir / "run" / name_; }

    void end_living() {
        auto client = control::Client::connect(run() / "agent.sock");
        if (!client) return failed("end it", client.error());
        auto done = client->call("sandbox.remove", {{"name", name_}});
        if (!done) return failed("end it", done.error());
        report_.removed.push_back(name_ + ": ended through its agent");
    }

    // true: there is no cgroup any more, so the pins confine nobody.
    bool clear_cgroup(bool force) {
        auto cgroup = os::Cgroup::open(roots_.cgroups / name_);
        if (!cgroup) return cgroup.error().code == Errc::kNotFound || say("open", cgroup.error());
        auto alive = cgroup->processes();
        if (!alive) return say("list its processes", alive.error());
        if (!alive->empty() && !force) {
            report_.kept.push_back(name_ + ": its agent is gone, " +
                                   counted(alive->size(), "process is", "processes are") +
                                   " still confined; `sluice purge --force` kills them");
            return false;
        }
        if (!alive->empty() && !kill(*cgroup, alive->size())) return false;
        if (auto gone = cgroup->remove(); !gone) return say("remove its cgroup", gone.error());
        report_.removed.push_back(name_ + ": cgroup");
        return true;
    }

    bool kill(const os::Cgroup& cgroup, std::size_t count) {
        if (auto sent = cgroup.kill_all(); !sent) return say("kill its processes", sent.error());
        const auto empty = cgroup.wait_empty(kAfterKill);
        if (!empty) return say("wait for its processes", empty.error());
        if (!*empty) return say("kill its processes", Error::failed("some outlive SIGKILL"));
        report_.removed.push_back(name_ + ": " + counted(count, "process", "processes") +
                                  " killed");
        return true;
    }

    // `what` for the report; null: it was our own.
    void remove(const fs::path& parent, const char* what) {
        std::error_code ec;
        if (parent.empty() || !fs::exists(parent / name_, ec)) return;
        auto dir = os::open_dir(parent);
        if (!dir) return failed("open", dir.error());
        if (auto gone = os::remove_tree_at(dir->get(), name_); !gone) {
            return failed("remove", gone.error());
        }
        if (what != nullptr) report_.removed.push_back(name_ + ": " + what);
    }

    void failed(const char* doing, const Error& error) {
        report_.failed.push_back(name_ + ": " + doing + ": " + error.message);
    }
    bool say(const char* doing, const Error& error) {
        failed(doing, error);
        return false;
    }

    const Roots& roots_;
    const std::string& name_;
    Purged& report_;
};

}  // namespace

Result<Roots> Roots::of_host() {
    Roots roots;
    SLUICE_ASSIGN(const auto cgroup2, os::find_cgroup2());
    roots.cgroups = cgroup2 / "sluice";
    const auto bpffs = os::on_bpffs(os::kBpffsPath);
    if (bpffs && *bpffs) roots.pins = fs::path(os::kBpffsPath) / "sluice";
    return roots;
}

Purged purge(const Roots& roots, bool force) {
    std::set<std::string> names;
    add_names(names, roots.run_dir / "run");
    add_names(names, roots.cgroups);
    if (!roots.pins.empty()) add_names(names, roots.pins);
    Purged report;
    for (const std::string& name : names) Leftover(roots, name, report).purge(force);
    return report;
}

nlohmann::json to_json(const Purged& purged) {
    return {{"removed", purged.removed},
            {"running", purged.running},
            {"kept", purged.kept},
            {"failed", purged.failed}};
}

std::string render_purged(const Purged& purged) {
    std::string out;
    for (const auto& one : purged.removed) out += "removed " + one + "\n";
    for (const auto& one : purged.running) out += "left alone " + one + ": it is running\n";
    for (const auto& one : purged.kept) out += "kept " + one + "\n";
    for (const auto& one : purged.failed) out += "failed " + one + "\n";
    return out.empty() ? "nothing was left behind\n" : out;
}

}  // namespace sluice::cli
