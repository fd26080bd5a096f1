#include "kernel/object.h"

#include <sluice/abi.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "sluice.skel.h"

namespace sluice::kernel {
namespace {

// What libbpf said at warning level during the current load; shown only when the load fails.
thread_local std::string load_log;

int keep_warnings(libbpf_print_level level, const char* format, va_list args) {
    if (level != LIBBPF_WARN) return 0;
    char* line = nullptr;
    const int length = vasprintf(&line, format, args);
    if (length < 0) return 0;
    load_log += line;
    std::free(line);
    return length;
}

// A verifier log runs to thousands of lines; the reason is in its last ones.
std::string last_lines(const std::string& log) {
    constexpr std::size_t kKept = 1500;
    if (log.size() <= kKept) return log;
    const auto newline = log.find('\n', log.size() - kKept);
    return "..." + log.substr(newline == std::string::npos ? log.size() - kKept : newline);
}

// Current kernels charge BPF memory to the memory cgroup and ignore this limit; older ones need it,
// and a container may forbid raising it. So failing here is no failure.
void raise_memlock() {
    const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
    (void)setrlimit(RLIMIT_MEMLOCK, &unlimited);
}

Error load_error(int saved_errno) {
    auto error = Error::from_errno("load the BPF programs", saved_errno);
    error.code = Errc::kUnsupported;
    if (saved_errno == EPERM || saved_errno == EACCES) {
        error.message +=
            "; CAP_BPF, CAP_NET_ADMIN and CAP_PERFMON are needed (run as root, and not in "
            "an unprivileged container); `sluice doctor` says which is missing";
    } else {
        error.message += "; `sluice doctor` says what this kernel lacks";
    }
    if (!load_log.empty()) error.message += "\n" + last_lines(load_log);
    return error;
}

}  // namespace

void SkeletonDeleter::operator()(sluice_bpf* object) const {
    sluice_bpf::destroy(object);
}

Result<Object> load_object() {
    raise_memlock();
    load_log.clear();
    libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
    libbpf_set_print(keep_warnings);
    Object object(sluice_bpf::open());
    if (!object) return load_error(errno);
    if (const int failed = sluice_bpf::load(object.get()); failed != 0) return load_error(-failed);
    return object;
}

const std::array<Hook, kHookCount>& hooks() {
    static constexpr std::array<Hook, kHookCount> table{{
        {"egress", BPF_CGROUP_INET_EGRESS,
         [](const sluice_bpf& o) { return o.progs.sluice_egress; }},
        {"sock_create", BPF_CGROUP_INET_SOCK_CREATE,
         [](const sluice_bpf& o) { return o.progs.sluice_sock_create; }},
        {"post_bind4", BPF_CGROUP_INET4_POST_BIND,
         [](const sluice_bpf& o) { return o.progs.sluice_post_bind4; }},
        {"post_bind6", BPF_CGROUP_INET6_POST_BIND,
         [](const sluice_bpf& o) { return o.progs.sluice_post_bind6; }},
        {"sockops", BPF_CGROUP_SOCK_OPS,
         [](const sluice_bpf& o) { return o.progs.sluice_sockops; }},
        {"sendmsg4", BPF_CGROUP_UDP4_SENDMSG,
         [](const sluice_bpf& o) { return o.progs.sluice_sendmsg4; }},
        {"sendmsg6", BPF_CGROUP_UDP6_SENDMSG,
         [](const sluice_bpf& o) { return o.progs.sluice_sendmsg6; }},
        {"connect4", BPF_CGROUP_INET4_CONNECT,
         [](const sluice_bpf& o) { return o.progs.sluice_connect4; }},
        {"connect6", BPF_CGROUP_INET6_CONNECT,
         [](const sluice_bpf& o) { return o.progs.sluice_connect6; }},
    }};
    return table;
}

}  // namespace sluice::kernel
