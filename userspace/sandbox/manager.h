// The registry of sandboxes: create, remove, list, explain. One thread.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "config/tool_config.h"
#include "sandbox/host.h"
#include "sandbox/kernel_ops.h"
#include "sandbox/record.h"

namespace sluice::sandbox {

using Resolver = std::function<Result<Resolution>(const std::vector<DnsName>&)>;

struct Settings {
    std::filesystem::path cgroup_root;  // cgroup2's mount point + "/sluice"
    std::filesystem::path policy_dir = "/etc/sluice/policy.d";
    std::filesystem::path preset_dir;
    std::vector<std::string> degraded;  // "code: text" of what the host lacks
};

struct Project {
    std::string path;  // as the user named it; only shown
    std::string text;
};

struct CreateRequest {
    std::string name;
    uid_t owner = 0;
    pid_t pid = 0;     // the caller's child that waits to be released
    int pidfd = -1;    // of the same; borrowed
    pid_t parent = 0;  // the caller
    std::optional<Project> project;
    config::ToolConfig tools;  // what the project's presets take their hosts from
    std::vector<std::string> allow;
    bool detach = false;
};

struct Removed {
    std::size_t terminated = 0;  // ended by themselves or by SIGTERM
    std::size_t killed = 0;
};

// [a-z0-9][a-z0-9._-]{0,62}
Status check_name(std::string_view name);

class Manager {
  public:
    // `kernel` and `host` are borrowed.
    Manager(Settings settings, KernelOps& kernel, Host& host, Resolver resolver)
        : settings_(std::move(settings)),
          kernel_(kernel),
          host_(host),
          resolve_(std::move(resolver)) {}

    // All or nothing: on an error there is no cgroup and no attachment, and the child is where it
    // was. The child is moved in last, after the live probe has passed.
    Result<nlohmann::json> create(const CreateRequest& request);
    // SIGTERM, `grace`, kill, detach, rmdir. When processes survive even that, enforcement stays.
    Result<Removed> remove(const std::string& name, std::chrono::milliseconds grace);

    [[nodiscard]] const Record* find(const std::string& name) const;
    [[nodiscard]] const std::map<std::string, Record>& all() const { return records_; }

    nlohmann::json list(const std::function<bool(const Record&)>& visible);
    Result<nlohmann::json> egress_list(const Record& record);
    Result<nlohmann::json> explain(const Record& record, const std::string& target);
    [[nodiscard]] std::vector<std::string> degraded() const;  // of this version and the host

  private:
    Settings settings_;
    KernelOps& kernel_;
    Host& host_;
    Resolver resolve_;
    std::map<std::string, Record> records_;
};

}  // namespace sluice::sandbox
