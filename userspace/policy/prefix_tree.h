// Prefixes sorted so that every one follows what covers it, with the covering one as parent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/address.h"

namespace sluice {

// Of the 128 bits alone, as the kernel's LPM trie matches: ::/0 covers IPv4 here.
bool covers_bits(const IpPrefix& outer, const IpPrefix& inner);

class PrefixTree {
  public:
    static constexpr std::uint32_t kNone = 0xffffffff;
    struct Node {
        IpPrefix prefix;
        std::uint32_t parent = kNone;
        bool inherits = true;  // false: the barrier, where what IPv6 prefixes say ends
    };

    // Adds 0.0.0.0/0 where an IPv6 prefix (::/0, say) would catch IPv4 in the trie.
    explicit PrefixTree(std::vector<IpPrefix> prefixes);

    [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
    // The longest match, as an index into nodes(); kNone: nothing matches.
    [[nodiscard]] std::uint32_t longest(const IpAddress& address) const;
    [[nodiscard]] std::uint32_t find(const IpPrefix& prefix) const;  // exactly this one

  private:
    std::vector<Node> nodes_;
};

}  // namespace sluice
