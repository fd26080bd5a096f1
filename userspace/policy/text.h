// Small helpers for parsers and their error texts.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/escape.h"

namespace sluice {

// The value as an error shows it: quoted, control characters escaped, cut where it is very long.
inline std::string in_quotes(std::string_view value) {
    constexpr std::size_t kShown = 120;
    const bool cut = value.size() > kShown;
    return "\"" + printable(value.substr(0, kShown)) + (cut ? "...\"" : "\"");
}

// Decimal digits only, no sign, no leading zero ("0" itself is fine), at most `max`.
inline std::optional<std::uint32_t> parse_decimal(std::string_view text, std::uint32_t max) {
    if (text.empty() || (text.size() > 1 && text[0] == '0')) return std::nullopt;
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value > max)
        return std::nullopt;
    return value;
}

inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Locale plays no part in rules.
inline char ascii_lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

}  // namespace sluice
