#include <linux/capability.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "doctor.h"

namespace sluice::cli {

namespace {

struct Version {
    int major = 0, minor = 0;
    friend auto operator<=>(const Version&, const Version&) = default;
};
constexpr Version kOldest{5, 18};  // bpf_set_retval() in the connect hooks
constexpr Version kTested{6, 1};

Version version_of(const std::string& release) {
    Version v;
    const char* end = release.data() + release.size();
    const auto major = std::from_chars(release.data(), end, v.major);
    if (major.ec == std::errc{} && major.ptr < end) std::from_chars(major.ptr + 1, end, v.minor);
    return v;
}

std::string why(int saved_errno) {
    return std::generic_category().message(saved_errno);
}

Finding kernel(const HostFacts& facts) {
    const Version found = version_of(facts.release);
    if (found < kOldest) {
        return {"kernel", Health::kFail, facts.release + ": older than 5.18, the hooks don't load",
                "boot Linux 6.1 or later"};
    }
    if (found < kTested) {
        return {"kernel", Health::kWarn, facts.release + ": older than 6.1, not tested",
                "boot Linux 6.1 or later"};
    }
    return {"kernel", Health::kOk, facts.release};
}

Finding cgroup2(const HostFacts& facts) {
    if (!facts.cgroup2) {
        return {"cgroup2", Health::kFail, facts.cgroup2_error,
                "mount -t cgroup2 none /sys/fs/cgroup"};
    }
    if (facts.cgroup_v1) {
        return {"cgroup2", Health::kOk,
                *facts.cgroup2 +
                    ", hybrid: cgroup v1 controllers are mounted beside it. "
                    "Enforcement is the same"};
    }
    return {"cgroup2", Health::kOk, *facts.cgroup2};
}

Finding privileges(const HostFacts& facts) {
    if (!facts.root) {
        return {"privileges", Health::kFail, "not root: what follows is what an ordinary user sees",
                "sudo sluice doctor"};
    }
    constexpr std::array<std::pair<int, const char*>, 4> kNeeded{
        {{CAP_BPF, "CAP_BPF"},
         {CAP_NET_ADMIN, "CAP_NET_ADMIN"},
         {CAP_PERFMON, "CAP_PERFMON"},
         {CAP_SYS_ADMIN, "CAP_SYS_ADMIN"}}};
    std::string missing;
    for (const auto& [bit, name] : kNeeded) {
        if ((facts.capabilities >> bit & 1) == 0) missing += std::string(" ") + name;
    }
    if (!missing.empty()) {
        return {"privileges", Health::kFail, "root without" + missing,
                "run where root has its capabilities (a container: --privileged, or --cap-add)"};
    }
    return {"privileges", Health::kOk,
            "root with CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON, "
            "CAP_SYS_ADMIN"};
}

Finding namespaces(const HostFacts& facts) {
    if (facts.user_namespace) {
        return {"user namespace", Health::kFail,
                "this is an unprivileged container: BPF programs can't be attached from here",
                "run sluice on the host, outside the container"};
    }
    return {"user namespace", Health::kOk, "the initial one"};
}

Finding btf(const HostFacts& facts) {
    if (facts.btf) return {"BTF", Health::kOk, "/sys/kernel/btf/vmlinux"};
    return {"BTF", Health::kWarn, "the kernel has no type information: BPF LSM can't be used",
            "boot a kernel with CONFIG_DEBUG_INFO_BTF=y"};
}

Finding bpf(const HostFacts& facts) {
    if (facts.bpf_errno == 0) return {"bpf()", Health::kOk, "a cgroup program loads"};
    return {"bpf()", Health::kFail, "a cgroup program does not load: " + why(facts.bpf_errno),
            facts.bpf_errno == EPERM ? "run as root, and where no seccomp filter forbids bpf()"
                                     : "boot a kernel with CONFIG_BPF_SYSCALL=y and "
                                       "CONFIG_CGROUP_BPF=y"};
}

// For who plans ahead: nothing depends on it yet.
Finding bpf_lsm(const HostFacts& facts) {
    const std::string unused = "; this version uses no BPF LSM program";
    if (facts.bpf_lsm_errno == 0)
        return {"BPF LSM", Health::kOk, "an lsm_cgroup program loads" + unused};
    const bool listed = ("," + facts.lsm + ",").find(",bpf,") != std::string::npos;
    return {"BPF LSM", Health::kOk,
            "not usable (" + why(facts.bpf_lsm_errno) +
                (listed ? ", though `bpf` is in lsm=)" : ", boot with `bpf` in lsm= for it)") +
                unused};
}

Finding bpffs(const HostFacts& facts) {
    if (!facts.bpffs) {
        return {"bpffs", Health::kWarn, "not mounted on /sys/fs/bpf; `sluice run` mounts it",
                "mount -t bpf bpf /sys/fs/bpf"};
    }
    if (!facts.bpffs_of_host) {
        return {"bpffs", Health::kWarn,
                "mounted in this mount namespace only: enforcement ends with its last process",
                "run from the host's mount namespace"};
    }
    return {"bpffs", Health::kOk, "/sys/fs/bpf, the host's"};
}

Finding unprivileged(const HostFacts& facts) {
    const std::string name = "unprivileged bpf";
    if (facts.unprivileged_bpf == "0") {
        return {name, Health::kWarn, "every user may load BPF programs",
                "sysctl -w kernel.unprivileged_bpf_disabled=2"};
    }
    if (facts.unprivileged_bpf.empty()) return {name, Health::kOk, "not in this kernel"};
    return {name, Health::kOk, "off (" + facts.unprivileged_bpf + ")"};
}

Finding systemd(const HostFacts& facts) {
    return {"systemd", Health::kOk,
            facts.systemd ? "runs; sandboxes get root-owned cgroups of their own beside its"
                          : "not running; nothing needs it"};
}

}  // namespace

std::vector<Finding> judge(const HostFacts& facts) {
    return {kernel(facts), cgroup2(facts), privileges(facts), namespaces(facts),   bpf(facts),
            bpffs(facts),  btf(facts),     bpf_lsm(facts),    unprivileged(facts), systemd(facts)};
}

bool can_run(const std::vector<Finding>& findings) {
    for (const Finding& one : findings) {
        if (one.health == Health::kFail) return false;
    }
    return true;
}

nlohmann::json to_json(const std::vector<Finding>& findings) {
    constexpr std::array<const char*, 3> kNames{"ok", "warn", "fail"};
    auto checks = nlohmann::json::array();
    for (const Finding& one : findings) {
        checks.push_back({{"check", one.check},
                          {"result", kNames[static_cast<std::size_t>(one.health)]},
                          {"text", one.text},
                          {"fix", one.fix}});
    }
    return {{"can_run", can_run(findings)}, {"checks", std::move(checks)}};
}

std::string render_doctor(const std::vector<Finding>& findings, const Style& style) {
    Table table(0);
    for (const Finding& one : findings) {
        // Padded here: the table would count the colour's own bytes.
        const std::string state = one.health == Health::kOk     ? style.good("ok  ")
                                  : one.health == Health::kWarn ? style.warn("warn")
                                                                : style.bad("FAIL");
        table.row({state, one.check, one.text});
        if (!one.fix.empty()) table.row({"    ", "", "fix: " + one.fix});
    }
    return table.render() + (can_run(findings)
                                 ? "\n`sluice run` works here\n"
                                 : "\n`sluice run` can't work here: see FAIL above\n");
}

}  // namespace sluice::cli
