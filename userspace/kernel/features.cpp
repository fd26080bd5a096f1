#include "kernel/features.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <sys/utsname.h>

#include <array>

#include "base/unique_fd.h"

namespace sluice::kernel {
namespace {

// "r0 = 1; exit": the smallest program a cgroup LSM hook takes.
std::array<bpf_insn, 2> allow_program() {
    bpf_insn move{}, exit{};
    move.code = BPF_ALU64 | BPF_MOV | BPF_K;
    move.imm = 1;
    exit.code = BPF_JMP | BPF_EXIT;
    return {move, exit};
}

// The LSM list naming "bpf" is no proof: some host kernels refuse every program type that needs a
// trampoline.
bool try_bpf_lsm() {
    const int hook = libbpf_find_vmlinux_btf_id("socket_create", BPF_LSM_CGROUP);
    if (hook < 0) return false;
    LIBBPF_OPTS(bpf_prog_load_opts, options);
    options.expected_attach_type = BPF_LSM_CGROUP;
    options.attach_btf_id = static_cast<__u32>(hook);
    const auto program = allow_program();
    const UniqueFd fd(bpf_prog_load(BPF_PROG_TYPE_LSM, "sluice_try_lsm", "GPL", program.data(),
                                    program.size(), &options));
    return static_cast<bool>(fd);
}

}  // namespace

Features probe_features() {
    Features features;
    utsname name{};
    if (uname(&name) == 0) features.release = name.release;
    features.bpf_lsm = try_bpf_lsm();
    return features;
}

}  // namespace sluice::kernel
