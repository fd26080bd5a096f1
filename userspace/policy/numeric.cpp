#include "policy/numeric.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "policy/text.h"

namespace sluice {
namespace {

bool is_hex(char c) {
    const char l = ascii_lower(c);
    return is_digit(c) || (l >= 'a' && l <= 'f');
}

std::vector<std::string_view> split_dots(std::string_view text) {
    std::vector<std::string_view> parts;
    for (std::size_t dot; (dot = text.find('.')) != text.npos; text.remove_prefix(dot + 1))
        parts.push_back(text.substr(0, dot));
    parts.push_back(text);
    return parts;
}

bool all_digits(std::string_view label) {
    return !label.empty() && std::ranges::all_of(label, is_digit);
}

// The reading of someone who takes leading zeros for padding: 010.0.0.1 is 10.0.0.1.
std::string without_zeros(std::string_view host) {
    const auto parts = split_dots(host);
    if (parts.size() != 4) return {};
    std::uint32_t value = 0;
    for (const auto part : parts) {
        if (!all_digits(part)) return {};
        const auto kept = part.substr(std::min(part.find_first_not_of('0'), part.size() - 1));
        const auto octet = parse_decimal(kept, 255);
        if (!octet) return {};
        value = value << 8 | *octet;
    }
    return IpAddress::v4(value).to_string();
}

std::string as_inet_aton(std::string_view host) {
    in_addr parsed{};
    if (inet_aton(std::string(host).c_str(), &parsed) == 0) return {};
    return IpAddress::v4(ntohl(parsed.s_addr)).to_string();
}

}  // namespace

bool looks_numeric(std::string_view host) {
    if (host.ends_with('.')) host.remove_suffix(1);
    const auto dot = host.rfind('.');
    const auto last = dot == host.npos ? host : host.substr(dot + 1);
    if (all_digits(last)) return true;
    const bool hex = last.size() >= 2 && last[0] == '0' && ascii_lower(last[1]) == 'x';
    return hex && std::ranges::all_of(last.substr(2), is_hex);
}

Error numeric_error(std::string_view host) {
    const std::string what = in_quotes(host);
    if (host.ends_with('.')) host.remove_suffix(1);
    const std::string decimal = without_zeros(host), aton = as_inet_aton(host);
    std::string remedy;
    if (decimal.empty() && aton.empty())
        remedy = "write four decimal numbers from 0 to 255, as in 192.0.2.1";
    else if (decimal.empty() || aton.empty() || decimal == aton)
        remedy = "write " + (aton.empty() ? decimal : aton);
    else
        remedy = "write " + decimal + ", or " + aton + " if the leading zero meant octal";
    return Error::invalid(what + " is not a canonical IPv4 address: " + remedy);
}

}  // namespace sluice
