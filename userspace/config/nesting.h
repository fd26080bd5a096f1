// A guard before toml++, which nests one table for each dot of a key and destroys them recursively.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice::config {

// The line of the first key or header with more than 32 dots; 0: none. Text that is not TOML may
// be misread here, but not before the place where toml++ gives up on it.
std::uint32_t too_deep_line(std::string_view text);

}  // namespace sluice::config
