// Durations and sizes as policy files write them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace sluice::config {

Result<std::chrono::seconds> parse_duration(std::string_view text);  // "90s", "15m", "24h", "7d"
Result<std::uint64_t> parse_size(std::string_view text);             // "512m", "6g", bytes alone

}  // namespace sluice::config
