#include "kernel/attachment.h"

#include <bpf/bpf.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include "sluice.skel.h"

namespace sluice::kernel {
namespace {

std::filesystem::path pin_path(const AttachmentState& state, const Hook& hook) {
    return state.pin_dir / hook.name;
}

Result<Link> attach_one(const sluice_bpf& object, const AttachmentState& state, const Hook& hook) {
    const std::string what = "attach " + std::string(hook.name);
    Link link(bpf_program__attach_cgroup(hook.program(object), state.cgroup_dir.get()));
    if (!link) return Error::from_errno(what);
    const auto path = pin_path(state, hook);
    if (const int failed = bpf_link__pin(link.get(), path.c_str()); failed != 0)
        return Error::from_errno("pin " + std::string(hook.name) + " at " + path.string(), -failed);
    return link;
}

Result<std::uint32_t> program_id(const bpf_program* program) {
    bpf_prog_info info{};
    __u32 size = sizeof info;
    if (bpf_obj_get_info_by_fd(bpf_program__fd(program), &info, &size) != 0)
        return Error::from_errno("read a BPF program's id");
    return info.id;
}

// The ids of the programs attached to the cgroup itself for one attach type.
Result<std::vector<std::uint32_t>> attached_programs(int cgroup_dir, int attach_type) {
    std::vector<std::uint32_t> ids(64);
    __u32 flags = 0, count = static_cast<__u32>(ids.size());
    if (bpf_prog_query(cgroup_dir, static_cast<bpf_attach_type>(attach_type), 0, &flags, ids.data(),
                       &count) != 0)
        return Error::from_errno("ask which BPF programs the cgroup has");
    ids.resize(count);
    return ids;
}

}  // namespace

Status attach_all(const sluice_bpf& object, AttachmentState& state) {
    if (mkdir(state.pin_dir.c_str(), 0700) != 0)
        return Error::from_errno("make pin directory " + state.pin_dir.string());
    for (std::size_t i = 0; i < kHookCount; i++) {
        auto link = attach_one(object, state, hooks()[i]);
        if (!link) {
            (void)detach_all(state);
            return std::move(link).error();
        }
        state.links[i] = std::move(*link);
    }
    return {};
}

Status stay_with_sockets(const sluice_bpf& object, const AttachmentState& state) {
    std::string failed;
    for (const Hook& hook : hooks()) {
        if (bpf_prog_attach(bpf_program__fd(hook.program(object)), state.cgroup_dir.get(),
                            static_cast<bpf_attach_type>(hook.attach_type), BPF_F_ALLOW_MULTI) != 0)
            failed += std::string(hook.name) + ": " + std::generic_category().message(errno) + "; ";
    }
    if (failed.empty()) return {};
    return Error::failed("keep the programs for sockets that are left: " + failed);
}

Status detach_all(AttachmentState& state) {
    std::string failed;
    for (std::size_t i = 0; i < kHookCount; i++) {
        std::error_code error;
        std::filesystem::remove(pin_path(state, hooks()[i]), error);
        if (error) failed += std::string(hooks()[i].name) + ": " + error.message() + "; ";
        state.links[i].reset();
    }
    std::error_code error;
    std::filesystem::remove(state.pin_dir, error);
    if (error) failed += error.message();
    if (failed.empty()) return {};
    return Error::failed("unpin " + state.pin_dir.string() + ": " + failed);
}

Result<std::vector<HookState>> hook_states(const sluice_bpf& object, const AttachmentState& state) {
    std::vector<HookState> result;
    for (const Hook& hook : hooks()) {
        SLUICE_ASSIGN(const auto ours, program_id(hook.program(object)));
        SLUICE_ASSIGN(const auto ids, attached_programs(state.cgroup_dir.get(), hook.attach_type));
        std::error_code ignored;
        result.push_back({.name = std::string(hook.name),
                          .attached = std::find(ids.begin(), ids.end(), ours) != ids.end(),
                          .pinned = std::filesystem::exists(pin_path(state, hook), ignored)});
    }
    return result;
}

Attachment::Attachment(std::unique_ptr<AttachmentState> state) : state_(std::move(state)) {}
Attachment::Attachment(Attachment&&) noexcept = default;
Attachment& Attachment::operator=(Attachment&&) noexcept = default;
Attachment::~Attachment() = default;
CgroupId Attachment::cgroup() const {
    return state_->cgroup;
}
Generation Attachment::generation() const {
    return state_->generation;
}

}  // namespace sluice::kernel
