#pragma once

#include "sandbox/host.h"

namespace sluice::sandbox {

class LiveHost final : public Host {
  public:
    Result<std::unique_ptr<Cell>> make_cell(const std::filesystem::path& path) override;
    Status check_child(pid_t pid, int pidfd, pid_t parent) override;
    std::string user_name(uid_t uid) override;
    Time now() override;
};

}  // namespace sluice::sandbox
