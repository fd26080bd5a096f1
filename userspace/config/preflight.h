// What must not reach toml++ 3.3, though it is the parser: keys with so many dots that destroying
// the nested tables overflows the stack, and non-ASCII text where the parser asks whether it is
// white space, which is undefined behaviour there (its issues 190 and 295).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::config {

struct Refusal {
    std::uint32_t line = 0;
    std::string_view why;
};

// Text that is not TOML may be misread here, but not before the place where toml++ gives up on it.
std::optional<Refusal> preflight(std::string_view text);

}  // namespace sluice::config
