// Slots: each holds the tables of one generation of one sandbox. Never edited once in use.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
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
    SlotPool(SlotMaps maps, unsigned ready) : maps_(maps), wanted_(ready) {}

    // A slot that holds the plan, not yet in use by any sandbox.
    Result<Slot> fill(const Plan& plan);
    // The slot is no longer named by any sandbox's storage. Freed at the next maintain().
    void retire(Slot slot);
    // Frees retired slots and refills the pool; some 10 ms each, so after answering, not before.
    Status maintain();

  private:
    Result<Slot> take_ready();
    Result<Slot> make(std::uint32_t rules, std::uint32_t prefixes, std::uint32_t ranges);
    Status place(const Slot& slot);
    Status clear(std::uint32_t index);
    Result<std::uint32_t> free_index();

    SlotMaps maps_;
    unsigned wanted_;
    std::vector<Slot> ready_;
    std::vector<Slot> retired_;
    std::vector<std::uint32_t> free_;
    std::uint32_t next_ = 0;
};

}  // namespace sluice::kernel
