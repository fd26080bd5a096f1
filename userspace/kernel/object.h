// The loaded BPF object and the table of hooks it has.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "base/result.h"

struct sluice_bpf;   // the generated skeleton
struct bpf_program;  // libbpf's

namespace sluice::kernel {

struct SkeletonDeleter {
    void operator()(sluice_bpf* object) const;
};
using Object = std::unique_ptr<sluice_bpf, SkeletonDeleter>;

// Opens and loads every program and map. kUnsupported, with what the kernel said, when it can't.
Result<Object> load_object();

// One program and where it attaches. The order is the order of attaching: the packet hook first, so
// that nothing is ever half let through.
struct Hook {
    std::string_view name;  // as status shows it and the pin is called
    int attach_type;        // enum bpf_attach_type
    bpf_program* (*program)(const sluice_bpf&);
};
inline constexpr std::size_t kHookCount = 9;
const std::array<Hook, kHookCount>& hooks();

}  // namespace sluice::kernel
