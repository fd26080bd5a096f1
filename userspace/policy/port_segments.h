// Ranges of ports that overlap and compete, and who wins each port.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sluice {

struct PortSegment {
    std::uint64_t rank = 0;  // the lowest wins
    std::uint32_t value = 0;
    std::uint16_t first = 0;
    std::uint16_t last = 0;
    friend bool operator==(const PortSegment&, const PortSegment&) = default;
};

// Sorted, not overlapping, neighbours of one rank and value merged. O(n log n).
std::vector<PortSegment> winners(std::vector<PortSegment> segments);

// The segment of a winners() list that holds the port; null: none does.
const PortSegment* segment_at(std::span<const PortSegment> sorted, std::uint16_t port);

}  // namespace sluice
