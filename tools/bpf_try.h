// Whether this process may load BPF programs, found by loading the smallest ones. No libbpf.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice::cli {

// 0, or the errno of bpf(BPF_PROG_LOAD).
int try_cgroup_program();  // cgroup_skb egress
int try_lsm_program();     // lsm_cgroup on socket_create; ENOENT: the kernel has no BTF for it

// The type id of a function in raw BTF (/sys/kernel/btf/vmlinux); 0 when it is not there or the
// bytes are no BTF.
std::uint32_t btf_function(std::string_view btf, std::string_view name);

}  // namespace sluice::cli
