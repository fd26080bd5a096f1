// Inner maps of the array-of-maps: made, filled, put in place.
#pragma once

#include <bpf/bpf.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace sluice::kernel {

struct InnerMapSpec {
    const char* name;  // at most 15 characters
    bpf_map_type type;
    std::uint32_t key_size;
    std::uint32_t value_size;
    std::uint32_t max_entries;
    std::uint32_t flags = 0;
};

Result<UniqueFd> make_inner_map(const InnerMapSpec& spec);

// outer[index] = inner. Waits for an RCU grace period: when it returns, no program still sees what
// was there before (kernel/bpf/syscall.c, maybe_wait_bpf_programs). About 10 ms.
Status place_inner_map(int outer, std::uint32_t index, const UniqueFd& inner, const char* what);
Status clear_inner_map(int outer, std::uint32_t index);

// Puts maps[i] at indexes[i] with one wait for all of them.
Status place_inner_maps(int outer, const std::vector<std::uint32_t>& indexes,
                        const std::vector<int>& maps, const char* what);
// Empties all of `indexes` with one wait.
Status clear_inner_maps(int outer, const std::vector<std::uint32_t>& indexes);

// Waits until every program that runs now has ended. A program reads the storage first and the slot
// it names later, so a slot that no storage names any more is still in use until this has returned.
class Grace {
  public:
    static Result<Grace> make();
    Status wait() const { return place_inner_map(outer_.get(), 0, inner_, "the grace map"); }

  private:
    UniqueFd outer_, inner_;
};

// Writes `count` keys and values, contiguous arrays, in one call.
Status fill_map(int map, const void* keys, const void* values, std::size_t count, const char* what);

}  // namespace sluice::kernel
