// Sandboxes to measure in: cgroups with and without the programs, and the process moving between.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernel/enforcer.h"
#include "os/cgroup.h"

namespace sluice::bench {

// Owns every cgroup and attachment it made; all gone when it is destroyed.
class Host {
  public:
    static Result<Host> make();
    Host(Host&&) = default;
    Host& operator=(Host&&) = delete;
    ~Host();

    // A cgroup without programs of its own.
    Status add_plain(const std::string& name);
    // A cgroup with the hooks and this policy. Load first.
    Status add_sandbox(const std::string& name, const Plan& plan);
    Status load();                          // programs in the kernel, nothing attached
    void unload();                          // ends every sandbox; plain cgroups stay
    Status enter(const std::string& name);  // moves this process

  private:
    explicit Host(std::filesystem::path root, std::filesystem::path pins)
        : root_(std::move(root)), pins_(std::move(pins)) {}

    std::filesystem::path root_, pins_;
    std::map<std::string, os::Cgroup> cgroups_;
    std::optional<kernel::Enforcer> enforcer_;
    std::map<std::string, kernel::Attachment> sandboxes_;
    bool moved_ = false;
};

}  // namespace sluice::bench
