// What one sandbox's attachment owns: its links and their pins, its box, its current slot.
#pragma once

#include <bpf/libbpf.h>

#include <array>
#include <filesystem>
#include <optional>

#include "kernel/boxes.h"
#include "kernel/enforcer.h"
#include "kernel/object.h"
#include "kernel/slots.h"

namespace sluice::kernel {

struct LinkDeleter {
    void operator()(bpf_link* link) const { bpf_link__destroy(link); }  // a pinned link lives on
};
using Link = std::unique_ptr<bpf_link, LinkDeleter>;

struct AttachmentState {
    CgroupId cgroup;
    UniqueFd cgroup_dir;  // our own copy, for queries
    std::filesystem::path pin_dir;
    std::array<Link, kHookCount> links;
    Box box;
    std::optional<Slot> slot;  // of the installed generation
    Generation generation;
};

// Attaches and pins every hook under `pin_dir`, or none.
Status attach_all(const sluice_bpf& object, AttachmentState& state);
// Attaches the programs once more, without a link. The kernel keeps those with the removed cgroup
// for as long as a socket that was born in it lives, wherever that socket has gone.
Status stay_with_sockets(const sluice_bpf& object, const AttachmentState& state);
// Unpins and detaches what is there.
Status detach_all(AttachmentState& state);
// Which hooks the kernel itself lists on the cgroup, with our program and not another.
Result<std::vector<HookState>> hook_states(const sluice_bpf& object, const AttachmentState& state);

}  // namespace sluice::kernel
