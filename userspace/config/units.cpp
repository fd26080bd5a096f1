#include "config/units.h"

#include "policy/text.h"

namespace sluice::config {
namespace {

constexpr std::uint32_t kMost = 1'000'000'000;

}  // namespace

Result<std::chrono::seconds> parse_duration(std::string_view text) {
    const auto bad = [&] {
        return Error::invalid(in_quotes(text) +
                              " is not a duration: write it as in 90s, 15m, 24h or 7d");
    };
    if (text.size() < 2) return bad();
    const auto count = parse_decimal(text.substr(0, text.size() - 1), kMost);
    if (!count) return bad();
    const std::int64_t n = *count;
    switch (text.back()) {
        case 's':
            return std::chrono::seconds(n);
        case 'm':
            return std::chrono::seconds(60 * n);
        case 'h':
            return std::chrono::seconds(3600 * n);
        case 'd':
            return std::chrono::seconds(86400 * n);
        default:
            return bad();
    }
}

Result<std::uint64_t> parse_size(std::string_view text) {
    const auto bad = [&] {
        return Error::invalid(in_quotes(text) + " is not a size: write it as in 512m or 6g");
    };
    if (text.empty()) return bad();
    unsigned shift = 0;
    std::string_view digits = text;
    if (!is_digit(text.back())) {
        constexpr std::string_view kUnits = "bkmgt";
        const auto unit = kUnits.find(ascii_lower(text.back()));
        if (unit == kUnits.npos) return bad();
        shift = static_cast<unsigned>(10 * unit);
        digits.remove_suffix(1);
    }
    const auto count = parse_decimal(digits, 0xffffffff);
    if (!count || *count == 0 || (std::uint64_t{*count} << shift) >> shift != *count) return bad();
    return std::uint64_t{*count} << shift;
}

}  // namespace sluice::config
