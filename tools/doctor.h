// Can `sluice run` work on this host? Facts are read in one place and judged in another, so that
// every judgement has a test.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "style.h"

namespace sluice::cli {

struct HostFacts {
    std::string release;                 // uname -r
    std::optional<std::string> cgroup2;  // where it is mounted
    std::string cgroup2_error;
    bool cgroup_v1 = false;  // v1 controllers are mounted beside it
    bool root = false;       // effective uid 0
    bool user_namespace = false;
    std::uint64_t capabilities = 0;  // CapEff
    bool btf = false;                // /sys/kernel/btf/vmlinux
    std::string lsm;                 // /sys/kernel/security/lsm; empty: not readable
    int bpf_errno = 0;               // of loading a trivial cgroup program; 0: loaded
    int bpf_lsm_errno = 0;           // of loading a trivial lsm_cgroup program
    bool bpffs = false;              // mounted on /sys/fs/bpf
    bool bpffs_of_host = false;      // the same one that pid 1 sees
    std::string unprivileged_bpf;    // kernel.unprivileged_bpf_disabled; empty: not there
    bool systemd = false;
};
HostFacts read_host();

enum class Health : std::uint8_t { kOk, kWarn, kFail };

struct Finding {
    std::string check;
    Health health = Health::kOk;
    std::string text;   // what was found, and what follows from it
    std::string fix{};  // a command or a sentence; empty where nothing is to be done
};
std::vector<Finding> judge(const HostFacts& facts);
bool can_run(const std::vector<Finding>& findings);  // no failure among them

nlohmann::json to_json(const std::vector<Finding>& findings);
std::string render_doctor(const std::vector<Finding>& findings, const Style& style);

}  // namespace sluice::cli
