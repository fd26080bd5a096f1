#include "policy/port_segments.h"

#include <algorithm>
#include <queue>

namespace sluice {
namespace {

struct Loses {
    bool operator()(const PortSegment& a, const PortSegment& b) const { return a.rank > b.rank; }
};

void append(std::vector<PortSegment>& out, const PortSegment& winner, std::uint32_t first,
            std::uint32_t last) {
    if (!out.empty() && out.back().rank == winner.rank && out.back().value == winner.value &&
        out.back().last + 1U == first) {
        out.back().last = static_cast<std::uint16_t>(last);
        return;
    }
    out.push_back({winner.rank, winner.value, static_cast<std::uint16_t>(first),
                   static_cast<std::uint16_t>(last)});
}

}  // namespace

std::vector<PortSegment> winners(std::vector<PortSegment> segments) {
    if (segments.size() <= 1) return segments;
    std::ranges::sort(segments, {}, &PortSegment::first);
    std::vector<PortSegment> out;
    std::priority_queue<PortSegment, std::vector<PortSegment>, Loses> open;
    std::size_t next = 0;
    for (std::uint32_t port = 0;;) {
        if (open.empty()) {
            if (next == segments.size()) return out;
            port = segments[next].first;
        }
        while (next < segments.size() && segments[next].first <= port) open.push(segments[next++]);
        while (!open.empty() && open.top().last < port) open.pop();
        if (open.empty()) continue;
        const std::uint32_t limit = next < segments.size() ? segments[next].first - 1U : 65535U;
        const std::uint32_t last = std::min<std::uint32_t>(open.top().last, limit);
        append(out, open.top(), port, last);
        port = last + 1;
    }
}

const PortSegment* segment_at(std::span<const PortSegment> sorted, std::uint16_t port) {
    const auto after = std::ranges::upper_bound(sorted, port, {}, &PortSegment::first);
    if (after == sorted.begin()) return nullptr;
    const PortSegment& found = *(after - 1);
    return port <= found.last ? &found : nullptr;
}

}  // namespace sluice
