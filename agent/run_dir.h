// /run/sluice/run/NAME: one embedded agent's place, and what a dead one left behind.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace sluice::agent {

struct Places {
    std::filesystem::path run_dir = "/run/sluice";
    std::filesystem::path cgroup_root;  // CGROUP2/sluice
    std::filesystem::path pin_root;     // BPFFS/sluice
};

// Held while the agent lives. The directory goes with it, and so does an empty pin directory.
class RunDir {
  public:
    // Makes and locks the directory. kInvalid when an agent of this name is alive. A dead agent's
    // pins and empty cgroup are removed; where processes still live in it, or what lies there can't
    // be read, that is an error: confinement is not ours to end.
    static Result<RunDir> take(const Places& places, const std::string& name);
    RunDir(RunDir&&) noexcept = default;
    RunDir& operator=(RunDir&&) noexcept = delete;
    ~RunDir();

    [[nodiscard]] std::filesystem::path socket() const { return path_ / "agent.sock"; }
    [[nodiscard]] const std::filesystem::path& pins() const { return pins_; }
    // Empties the pin directory. For when nothing is attached any more.
    Status remove_pins() const;

  private:
    RunDir(UniqueFd lock, std::filesystem::path path, std::filesystem::path pins)
        : lock_(std::move(lock)), path_(std::move(path)), pins_(std::move(pins)) {}
    UniqueFd lock_;
    std::filesystem::path path_, pins_;
};

}  // namespace sluice::agent
