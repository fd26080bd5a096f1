// A cgroup of the test's own; what is left in it is killed.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "os/cgroup.h"

namespace sluice::test {

class OwnCgroup {
  public:
    explicit OwnCgroup(const std::string& name)
        : parent_(os::find_cgroup2().value() / ("sluice-test-" + std::to_string(::getpid()))),
          cgroup_(os::Cgroup::create(parent_ / name).value()) {}
    OwnCgroup(const OwnCgroup&) = delete;
    OwnCgroup& operator=(const OwnCgroup&) = delete;
    ~OwnCgroup() {
        (void)cgroup_.kill_all();
        (void)cgroup_.wait_empty(std::chrono::seconds(10));
        (void)cgroup_.remove();
        ::rmdir(parent_.c_str());
    }
    [[nodiscard]] os::Cgroup& operator*() { return cgroup_; }
    [[nodiscard]] os::Cgroup* operator->() { return &cgroup_; }

  private:
    std::filesystem::path parent_;
    os::Cgroup cgroup_;
};

}  // namespace sluice::test
