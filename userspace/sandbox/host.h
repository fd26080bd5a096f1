// What the registry needs of the host besides BPF: cgroups and processes, behind an interface.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "kernel/enforcer.h"
#include "policy/rule.h"

namespace sluice::sandbox {

// One sandbox's cgroup. Contracts are those of os/cgroup.h and os/born_sockets.h.
class Cell {
  public:
    virtual ~Cell() = default;
    [[nodiscard]] virtual int dir() const = 0;
    [[nodiscard]] virtual CgroupId id() const = 0;
    [[nodiscard]] virtual const std::filesystem::path& path() const = 0;
    virtual Status add(pid_t pid) = 0;
    virtual Result<std::vector<pid_t>> processes() = 0;
    virtual Status signal_all(int signal) = 0;
    virtual Status kill_all() = 0;
    virtual Result<bool> wait_empty(std::chrono::milliseconds timeout) = 0;
    virtual Status remove() = 0;
    virtual Result<kernel::BornSockets> born_sockets() = 0;
};

class Host {
  public:
    virtual ~Host() = default;
    virtual Result<std::unique_ptr<Cell>> make_cell(const std::filesystem::path& path) = 0;
    // The process behind the pidfd is `pid`, alive, and `parent`'s own child.
    virtual Status check_child(pid_t pid, int pidfd, pid_t parent) = 0;
    virtual std::string user_name(uid_t uid) = 0;  // empty where passwd has none
    virtual Time now() = 0;
};

}  // namespace sluice::sandbox
