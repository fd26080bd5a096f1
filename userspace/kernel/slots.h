// Slots: each holds the tables of one generation of one sandbox. Never edited once in use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "kernel/inner_map.h"
#include "policy/plan.h"

namespace sluice::kernel {

// The outer maps, borrowed from the loaded object.
struct SlotMaps {
    int rules = -1;
    int prefixes = -1;
    int ranges = -1;
};

// The inner maps of one slot, kept open for reading back.
struct Slot {
    std::uint32_t index = 0;
    UniqueFd rules, prefixes, ranges;
};

// Placing a map costs an RCU wait, so a few small slots lie ready; a plan that does not fit one
// gets a slot made to its size.
class SlotPool {
  public:
    SlotPool(SlotMaps maps, unsigned ready) : maps_(maps), wanted_(std::max(ready, 1u)) {}

    // A slot that holds the plan, not yet in use by any sandbox.
    Result<Slot> fill(const Plan& plan, const Grace& grace);
    // The slot is no longer named by any sandbox's storage. Reused or freed by maintain().
    void retire(Slot slot);
    // Frees retired slots and refills the pool, with a handful of RCU waits (10 ms each) for all of
    // them together: so after answering, not before.
    Status maintain(const Grace& grace);

  private:
    Status refill();
    Result<Slot> make(std::uint32_t rules, std::uint32_t prefixes, std::uint32_t ranges);
    Status place(const std::vector<Slot>& slots);
    Status clear(const std::vector<std::uint32_t>& indexes);
    Result<std::uint32_t> free_index();

    SlotMaps maps_;
    unsigned wanted_;
    std::vector<Slot> ready_;
    std::vector<Slot> retired_;
    std::vector<std::uint32_t> free_;
    std::uint32_t next_ = 0;
};

}  // namespace sluice::kernel
