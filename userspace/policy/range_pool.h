// Lists of port ranges, one behind the other, equal lists kept once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "policy/port_segments.h"

namespace sluice {

class RangePool {
  public:
    explicit RangePool(std::vector<PortSegment>& items) : items_(items) {}

    // Where the list is: index of its first item, and their count.
    std::pair<std::uint32_t, std::uint32_t> put(const std::vector<PortSegment>& list) {
        const auto count = static_cast<std::uint32_t>(list.size());
        const auto [from, to] = by_hash_.equal_range(hash(list));
        for (auto it = from; it != to; ++it)
            if (it->second.second == count &&
                std::equal(list.begin(), list.end(), items_.begin() + it->second.first))
                return it->second;
        const std::pair place{static_cast<std::uint32_t>(items_.size()), count};
        items_.insert(items_.end(), list.begin(), list.end());
        by_hash_.emplace(hash(list), place);
        return place;
    }

  private:
    static std::uint64_t hash(const std::vector<PortSegment>& list) {
        std::uint64_t h = 0xcbf29ce484222325;
        for (const auto& s : list)
            for (const std::uint64_t part :
                 {s.rank, std::uint64_t{s.value} << 32 | std::uint64_t{s.first} << 16 | s.last})
                h = (h ^ (part + (h >> 29))) * 0x100000001b3;
        return h;
    }
    std::vector<PortSegment>& items_;
    std::unordered_multimap<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> by_hash_;
};

}  // namespace sluice
