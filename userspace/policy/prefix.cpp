#include <algorithm>

#include "policy/address.h"
#include "policy/prefix_tree.h"
#include "policy/text.h"

namespace sluice {
namespace {

IpAddress masked(IpAddress address, unsigned length) {
    for (unsigned i = 0; i < 16; ++i) {
        const unsigned kept = std::clamp(length, 8 * i, 8 * i + 8) - 8 * i;
        address.bytes[i] &= static_cast<std::uint8_t>(0xff00U >> kept);
    }
    return address;
}

}  // namespace

Result<IpPrefix> IpPrefix::parse(std::string_view text) {
    const auto slash = text.find('/');
    if (slash == text.npos)
        return Error::invalid(in_quotes(text) + " has no prefix length: write it as in 10.0.0.0/8");
    SLUICE_ASSIGN(const IpAddress base, IpAddress::parse(text.substr(0, slash)));
    // "::ffff:10.0.0.0/104" is written as IPv6 and counts its bits so.
    const bool as_v6 = text.substr(0, slash).find(':') != text.npos;
    const std::uint32_t most = as_v6 ? 128 : 32;
    const auto bits = parse_decimal(text.substr(slash + 1), most);
    if (!bits)
        return Error::invalid(in_quotes(text) +
                              " has a bad prefix length: write a number from 0 to " +
                              std::to_string(most) + " after the slash");
    const unsigned length = as_v6 ? *bits : *bits + 96;
    const IpPrefix right{masked(base, length), static_cast<std::uint8_t>(length)};
    if (right.base != base)
        return Error::invalid(in_quotes(text) + " has bits set beyond its length: write " +
                              right.base.to_string() + "/" + std::to_string(*bits));
    return right;
}

bool covers_bits(const IpPrefix& outer, const IpPrefix& inner) {
    return outer.length <= inner.length && masked(inner.base, outer.length) == outer.base;
}

// IPv4 sits inside the 16-byte space at ::ffff:0:0/96; ::/0 still means IPv6 alone.
bool IpPrefix::contains(const IpPrefix& other) const {
    if (length < 96 && other.length >= 96 && other.base.is_v4()) return false;
    return covers_bits(*this, other);
}

bool IpPrefix::contains(const IpAddress& address) const {
    return contains(host(address));
}

std::string IpPrefix::to_string() const {
    if (is_single()) return base.to_string();
    const bool v4 = length >= 96 && base.is_v4();
    return base.to_string() + "/" + std::to_string(v4 ? length - 96 : length);
}

}  // namespace sluice
