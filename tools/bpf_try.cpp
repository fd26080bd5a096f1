#include "bpf_try.h"

#include <linux/bpf.h>
#include <linux/btf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/unique_fd.h"
#include "os/files.h"

namespace sluice::cli {

namespace {

// r0 = 1; exit
constexpr std::array<bpf_insn, 2> kAllow{{
    {.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 1},
    {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0},
}};

int load(bpf_attr& attr) {
    attr.insns = reinterpret_cast<std::uintptr_t>(kAllow.data());
    attr.insn_cnt = kAllow.size();
    attr.license = reinterpret_cast<std::uintptr_t>("GPL");
    const long fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof attr);
    if (fd < 0) return errno;
    const UniqueFd close_it(static_cast<int>(fd));
    return 0;
}

template <class T>
std::optional<T> read_at(std::string_view bytes, std::size_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

// What follows a btf_type, by kind; nullopt for one we don't know.
std::optional<std::size_t> extra_bytes(const btf_type& type) {
    const std::size_t entries = BTF_INFO_VLEN(type.info);
    switch (BTF_INFO_KIND(type.info)) {
        case BTF_KIND_INT:
        case BTF_KIND_VAR:
        case BTF_KIND_DECL_TAG:
            return sizeof(std::uint32_t);
        case BTF_KIND_ARRAY:
            return sizeof(btf_array);
        case BTF_KIND_STRUCT:
        case BTF_KIND_UNION:
            return entries * sizeof(btf_member);
        case BTF_KIND_ENUM:
            return entries * sizeof(btf_enum);
        case BTF_KIND_FUNC_PROTO:
            return entries * sizeof(btf_param);
        case BTF_KIND_DATASEC:
            return entries * sizeof(btf_var_secinfo);
        case 19:
            return entries * 12;  // BTF_KIND_ENUM64, newer than some headers
        case BTF_KIND_PTR:
        case BTF_KIND_FWD:
        case BTF_KIND_TYPEDEF:
        case BTF_KIND_VOLATILE:
        case BTF_KIND_CONST:
        case BTF_KIND_RESTRICT:
        case BTF_KIND_FUNC:
        case BTF_KIND_FLOAT:
        case BTF_KIND_TYPE_TAG:
            return 0;
        default:
            return std::nullopt;
    }
}

}  // namespace

std::uint32_t btf_function(std::string_view btf, std::string_view name) {
    const auto header = read_at<btf_header>(btf, 0);
    if (!header || header->magic != BTF_MAGIC) return 0;
    const std::size_t types = std::size_t{header->hdr_len} + header->type_off;
    const std::size_t end = types + header->type_len;
    const std::size_t strings = std::size_t{header->hdr_len} + header->str_off;
    std::uint32_t id = 1;
    for (std::size_t at = types; at < end; ++id) {
        const auto type = read_at<btf_type>(btf, at);
        if (!type) return 0;
        const std::size_t text = strings + type->name_off;
        if (BTF_INFO_KIND(type->info) == BTF_KIND_FUNC && text < btf.size() &&
            btf.substr(text, name.size()) == name &&
            read_at<char>(btf, text + name.size()) == '\0') {
            return id;
        }
        const auto extra = extra_bytes(*type);
        if (!extra) return 0;
        at += sizeof(btf_type) + *extra;
    }
    return 0;
}

int try_cgroup_program() {
    bpf_attr attr{};
    attr.prog_type = BPF_PROG_TYPE_CGROUP_SKB;
    attr.expected_attach_type = BPF_CGROUP_INET_EGRESS;
    return load(attr);
}

int try_lsm_program() {
    constexpr std::size_t kMostBtf = std::size_t{256} << 20;
    const auto btf = os::read_file("/sys/kernel/btf/vmlinux", kMostBtf);
    if (!btf) return ENOENT;
    bpf_attr attr{};
    attr.prog_type = BPF_PROG_TYPE_LSM;
    attr.expected_attach_type = BPF_LSM_CGROUP;
    attr.attach_btf_id = btf_function(*btf, "bpf_lsm_socket_create");
    if (attr.attach_btf_id == 0) return ENOENT;
    return load(attr);
}

}  // namespace sluice::cli
