#include "policy/prefix_tree.h"

#include <algorithm>

namespace sluice {
namespace {

const IpPrefix kAllV4{IpAddress::v4(0), 96};

}  // namespace

PrefixTree::PrefixTree(std::vector<IpPrefix> prefixes) {
    const bool v6_catches_v4 = std::ranges::any_of(prefixes, [](const IpPrefix& p) {
        return p.length < kAllV4.length && covers_bits(p, kAllV4);
    });
    if (v6_catches_v4) prefixes.push_back(kAllV4);
    std::ranges::sort(prefixes);
    prefixes.erase(std::unique(prefixes.begin(), prefixes.end()), prefixes.end());

    nodes_.reserve(prefixes.size());
    std::vector<std::uint32_t> open;  // the path from a root to the last node
    for (const auto& prefix : prefixes) {
        while (!open.empty() && !covers_bits(nodes_[open.back()].prefix, prefix)) open.pop_back();
        const bool barrier = v6_catches_v4 && prefix == kAllV4;
        nodes_.push_back({prefix, open.empty() ? kNone : open.back(), !barrier});
        open.push_back(static_cast<std::uint32_t>(nodes_.size() - 1));
    }
}

std::uint32_t PrefixTree::longest(const IpAddress& address) const {
    const IpPrefix single = IpPrefix::host(address);
    const auto after = std::ranges::upper_bound(nodes_, single, {}, &Node::prefix);
    if (after == nodes_.begin()) return kNone;
    // The last node not after it is it, covers it, or hangs below something that does.
    auto at = static_cast<std::uint32_t>(after - nodes_.begin() - 1);
    while (at != kNone && !covers_bits(nodes_[at].prefix, single)) at = nodes_[at].parent;
    return at;
}

std::uint32_t PrefixTree::find(const IpPrefix& prefix) const {
    const auto at = std::ranges::lower_bound(nodes_, prefix, {}, &Node::prefix);
    if (at == nodes_.end() || at->prefix != prefix) return kNone;
    return static_cast<std::uint32_t>(at - nodes_.begin());
}

}  // namespace sluice
