// Sets of TCP ports.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sluice {

struct PortRange {
    std::uint16_t first = 0;  // inclusive, 1..65535
    std::uint16_t last = 0;   // inclusive
    friend auto operator<=>(const PortRange&, const PortRange&) = default;
};

// Sorted, merged ranges. Empty means no port; there is no "any" but the written "*".
class PortSet {
  public:
    PortSet() = default;
    // "443", "22,443", "22,8000-8100", "*" (1-65535).
    static Result<PortSet> parse(std::string_view text);
    static PortSet single(std::uint16_t port);

    [[nodiscard]] bool contains(std::uint16_t port) const;
    [[nodiscard]] bool empty() const { return ranges_.empty(); }
    [[nodiscard]] const std::vector<PortRange>& ranges() const { return ranges_; }
    [[nodiscard]] std::string to_string() const;

    friend auto operator<=>(const PortSet&, const PortSet&) = default;

  private:
    std::vector<PortRange> ranges_;
};

}  // namespace sluice
