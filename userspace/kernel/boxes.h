// Boxes: what a sandbox keeps for all its generations, its hit counters and its denials.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "kernel/inner_map.h"

namespace sluice::kernel {

struct BoxMaps {
    int hits = -1;
    int denials = -1;
};

struct Box {
    std::uint32_t index = 0;
    UniqueFd hits, denials;
    std::uint32_t hits_capacity = 0;  // rule ids below this are counted
    // Counts from before the hit table last grew, by rule id.
    struct Base {
        std::uint64_t count = 0;
        std::uint64_t last_ns = 0;
    };
    std::vector<Base> base;
};

class BoxPool {
  public:
    BoxPool(BoxMaps maps, unsigned ready) : maps_(maps), wanted_(ready) {}

    Result<Box> take();
    // Makes room for rule ids up to `max_rule_id`; counts go on exactly.
    Status grow(Box& box, std::uint32_t max_rule_id);
    void retire(Box box);
    Status maintain(const Grace& grace);  // as SlotPool::maintain()

  private:
    Result<Box> make(std::uint32_t index);
    Result<std::uint32_t> free_index();
    BoxMaps maps_;
    unsigned wanted_;
    std::vector<Box> ready_;
    std::vector<Box> retired_;
    std::vector<std::uint32_t> free_;
    std::uint32_t next_ = 0;
};

// One rule's count over all tables the box has had.
Box::Base read_hits(const Box& box, std::uint32_t rule_id);

}  // namespace sluice::kernel
