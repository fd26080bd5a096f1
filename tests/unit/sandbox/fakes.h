// A kernel and a host that remember what was done to them, and fail where told to.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sandbox/host.h"
#include "sandbox/kernel_ops.h"

namespace sluice::sandbox::test {

struct World {
    std::vector<std::string> log;  // what was done, in order
    std::string fail_at;           // the step that fails
    std::vector<std::string> cells;
    std::vector<pid_t> inside;  // processes in the one cell
    bool stubborn = false;      // SIGTERM does not help
    bool immortal = false;      // nor does SIGKILL

    Status step(const std::string& name) {
        log.push_back(name);
        if (name == fail_at) return Error::failed("made to fail");
        return {};
    }
    [[nodiscard]] bool did(const std::string& name) const {
        return std::find(log.begin(), log.end(), name) != log.end();
    }
};

class FakeCell final : public Cell {
  public:
    FakeCell(World& world, std::filesystem::path path) : world_(world), path_(std::move(path)) {}
    [[nodiscard]] int dir() const override { return 3; }
    [[nodiscard]] CgroupId id() const override { return CgroupId(77); }
    [[nodiscard]] const std::filesystem::path& path() const override { return path_; }
    Status add(pid_t pid) override {
        SLUICE_TRY(world_.step("add"));
        world_.inside.push_back(pid);
        return {};
    }
    Result<std::vector<pid_t>> processes() override { return world_.inside; }
    Status signal_all(int) override {
        if (!world_.stubborn) world_.inside.clear();
        return world_.step("term");
    }
    Status kill_all() override {
        if (!world_.immortal) world_.inside.clear();
        return world_.step("kill");
    }
    Result<bool> wait_empty(std::chrono::milliseconds) override { return world_.inside.empty(); }
    Status remove() override {
        std::erase(world_.cells, path_.string());
        return world_.step("rmdir");
    }
    Result<kernel::BornSockets> born_sockets() override {
        SLUICE_TRY(world_.step("sockets"));
        return kernel::BornSockets{};
    }

  private:
    World& world_;
    std::filesystem::path path_;
};

class FakeHost final : public Host {
  public:
    explicit FakeHost(World& world) : world_(world) {}
    Result<std::unique_ptr<Cell>> make_cell(const std::filesystem::path& path) override {
        SLUICE_TRY(world_.step("mkdir"));
        world_.cells.push_back(path);
        return std::unique_ptr<Cell>(std::make_unique<FakeCell>(world_, path));
    }
    Status check_child(pid_t, int, pid_t) override { return world_.step("child"); }
    std::string user_name(uid_t) override { return "alice"; }
    Time now() override { return Time{} + std::chrono::hours(24 * 365 * 56); }

  private:
    World& world_;
};

class FakeKernel final : public KernelOps {
  public:
    explicit FakeKernel(World& world) : world_(world) { features_.release = "6.1.0-test"; }
    [[nodiscard]] const kernel::Features& features() const override { return features_; }
    Status attach(int, CgroupId) override {
        SLUICE_TRY(world_.step("attach"));
        installed_.hooks = {{"connect4", true, true}, {"egress", true, true}};
        return {};
    }
    Result<Generation> apply(CgroupId, const Plan& plan) override {
        SLUICE_TRY(world_.step("apply"));
        installed_.generation = Generation(installed_.generation.value + 1);
        installed_.flags = plan.flags;
        return installed_.generation;
    }
    Status probe(CgroupId, const kernel::BornSockets&) override { return world_.step("probe"); }
    Status detach(CgroupId) override {
        installed_ = {};
        return world_.step("detach");
    }
    Result<kernel::Installed> installed(CgroupId) override {
        if (world_.fail_at == "installed") return Error::failed("made to fail");
        return installed_;
    }
    Result<kernel::Counters> counters(CgroupId) override { return counters_; }
    Result<std::vector<kernel::Denial>> denials(CgroupId) override { return denials_; }
    Result<kernel::Hits> hits(CgroupId, RuleId rule) override { return hits_[rule.value]; }
    Result<sluice_verdict> lookup(CgroupId, const IpAddress& address, std::uint16_t port) override {
        asked_.push_back(address.to_string() + " " + std::to_string(port));
        const auto found = verdicts_.find(asked_.back());
        if (found != verdicts_.end()) return found->second;
        return sluice_verdict{0, 0, SLUICE_REASON_NO_RULE, 0};
    }

    kernel::Features features_;
    kernel::Installed installed_;
    kernel::Counters counters_;
    std::vector<kernel::Denial> denials_;
    std::map<std::uint32_t, kernel::Hits> hits_;
    std::map<std::string, sluice_verdict> verdicts_;  // by "ADDRESS PORT"
    std::vector<std::string> asked_;

  private:
    World& world_;
};

}  // namespace sluice::sandbox::test
