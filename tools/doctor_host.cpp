#include <sys/utsname.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>

#include "bpf_try.h"
#include "doctor.h"
#include "os/bpffs.h"
#include "os/cgroup.h"
#include "os/files.h"
#include "os/mountinfo.h"

namespace sluice::cli {

namespace {

constexpr std::size_t kSmall = 64 * 1024;

std::string content(const char* path) {
    auto read = os::read_file(path, kSmall);
    if (!read) return {};
    while (!read->empty() && read->back() == '\n') read->pop_back();
    return *read;
}

std::uint64_t effective_capabilities() {
    const std::string status = content("/proc/self/status");
    const auto at = status.find("CapEff:\t");
    std::uint64_t bits = 0;
    if (at == std::string::npos) return bits;
    std::from_chars(status.data() + at + 8, status.data() + status.size(), bits, 16);
    return bits;
}

// The initial user namespace maps every id to itself.
bool in_user_namespace() {
    const std::string map = content("/proc/self/uid_map");
    std::string words;
    for (const char c : map) {
        if (c != ' ' || (!words.empty() && words.back() != ' ')) words += c;
    }
    return words != "0 0 4294967295";
}

bool host_sees(const os::Mount& mount) {
    const auto hosts = os::mounts_of("1");
    if (!hosts) return false;
    for (const auto& other : *hosts) {
        if (other.type == "bpf" && other.device == mount.device) return true;
    }
    return false;
}

void read_mounts(HostFacts& facts) {
    const auto mounts = os::mounts_of("self");
    if (!mounts) return;
    facts.cgroup_v1 = os::find_mount(*mounts, "cgroup") != nullptr;
    const auto there = os::on_bpffs(os::kBpffsPath);
    facts.bpffs = there && *there;
    for (const auto& mount : *mounts) {
        if (mount.type == "bpf" && mount.target == os::kBpffsPath && host_sees(mount)) {
            facts.bpffs_of_host = true;
        }
    }
}

}  // namespace

HostFacts read_host() {
    HostFacts facts;
    utsname name{};
    if (uname(&name) == 0) facts.release = name.release;
    auto cgroup2 = os::find_cgroup2();
    if (cgroup2) {
        facts.cgroup2 = cgroup2->string();
    } else {
        facts.cgroup2_error = cgroup2.error().message;
    }
    read_mounts(facts);
    facts.root = geteuid() == 0;
    facts.user_namespace = in_user_namespace();
    facts.capabilities = effective_capabilities();
    std::error_code ec;
    facts.btf = std::filesystem::exists("/sys/kernel/btf/vmlinux", ec);
    facts.lsm = content("/sys/kernel/security/lsm");
    facts.bpf_errno = try_cgroup_program();
    facts.bpf_lsm_errno = try_lsm_program();
    facts.unprivileged_bpf = content("/proc/sys/kernel/unprivileged_bpf_disabled");
    facts.systemd = std::filesystem::exists("/run/systemd/system", ec);
    return facts;
}

}  // namespace sluice::cli
