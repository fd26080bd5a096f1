// Strong types: numbers that must not be mixed up.
#pragma once

#include <compare>
#include <cstdint>

namespace sluice {

template <class Tag, class Rep>
struct Strong {
    Rep value{};
    constexpr Strong() = default;
    constexpr explicit Strong(Rep v) : value(v) {}
    friend constexpr auto operator<=>(Strong, Strong) = default;
};

using Port = Strong<struct PortTag, std::uint16_t>;  // host byte order, 1..65535
// The cgroup's inode number, as bpf_get_current_cgroup_id() and name_to_handle_at() give it.
using CgroupId = Strong<struct CgroupIdTag, std::uint64_t>;
// Counts a sandbox's policy switches from 1; 0 means "never configured", and so: deny.
using Generation = Strong<struct GenerationTag, std::uint64_t>;
// Names a rule within one sandbox for all its generations; 0 means "no rule".
using RuleId = Strong<struct RuleIdTag, std::uint32_t>;

}  // namespace sluice
