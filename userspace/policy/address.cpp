#include "policy/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "policy/numeric.h"
#include "policy/text.h"

namespace sluice {
namespace {

constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

std::uint32_t load_be32(const std::uint8_t* p) {
    return static_cast<std::uint32_t>(p[0]) << 24 | static_cast<std::uint32_t>(p[1]) << 16 |
           static_cast<std::uint32_t>(p[2]) << 8 | p[3];
}

bool in_v4(std::uint32_t address, std::uint32_t base, unsigned length) {
    return ((address ^ base) >> (32 - length)) == 0;
}

bool private_v4(std::uint32_t a) {
    struct Block {
        std::uint32_t base;
        unsigned length;
    };
    static constexpr Block kBlocks[] = {
        {0x00000000, 8},   // "this network", unspecified
        {0x0a000000, 8},   // RFC 1918
        {0x64400000, 10},  // RFC 6598, carrier NAT; some clouds' metadata
        {0x7f000000, 8},   // loopback
        {0xa9fe0000, 16},  // link-local
        {0xac100000, 12},  // RFC 1918
        {0xc0a80000, 16},  // RFC 1918
        {0xe0000000, 4},   // multicast
        {0xf0000000, 4},   // reserved, broadcast
    };
    return std::ranges::any_of(kBlocks, [a](const Block& b) { return in_v4(a, b.base, b.length); });
}

bool private_v6(const std::array<std::uint8_t, 16>& b) {
    const bool low = std::all_of(b.begin(), b.begin() + 12, [](auto byte) { return byte == 0; });
    if (low) return true;                                    // ::, ::1 and the retired ::a.b.c.d
    if ((b[0] & 0xfe) == 0xfc || b[0] == 0xff) return true;  // ULA, multicast
    if (b[0] == 0xfe && (b[1] & 0x80) != 0) return true;     // fe80::/10 and the retired fec0::/10
    static constexpr std::uint8_t kLocalNat64[] = {0, 0x64, 0xff, 0x9b, 0, 1};  // RFC 8215
    return std::memcmp(b.data(), kLocalNat64, sizeof kLocalNat64) == 0;
}

Result<IpAddress> parse_v6(std::string_view text) {
    if (text.find('%') != text.npos)
        return Error::invalid(in_quotes(text) + " has a zone: write the address without %...");
    std::uint8_t bytes[16];
    if (inet_pton(AF_INET6, std::string(text).c_str(), bytes) != 1)
        return Error::invalid(in_quotes(text) +
                              " is not an IPv6 address: write it as in 2001:db8::7");
    return IpAddress::from_v6_bytes(bytes);
}

}  // namespace

Result<IpAddress> IpAddress::parse(std::string_view text) {
    if (text.starts_with('['))
        return Error::invalid(in_quotes(text) + " is in brackets: write the address without them");
    // inet_pton stops at a NUL, and no address is longer than this.
    if (text.empty() || text.size() > 45 || text.find('\0') != text.npos)
        return Error::invalid(in_quotes(text) +
                              " is not an IP address: write it as in 192.0.2.1 or 2001:db8::7");
    if (text.find(':') != text.npos) return parse_v6(text);
    std::uint8_t bytes[4];
    if (inet_pton(AF_INET, std::string(text).c_str(), bytes) == 1) return v4(load_be32(bytes));
    if (looks_numeric(text)) return numeric_error(text);
    return Error::invalid(in_quotes(text) +
                          " is not an IP address: write it as in 192.0.2.1 or 2001:db8::7");
}

IpAddress IpAddress::v4(std::uint32_t host_order) {
    IpAddress address;
    std::ranges::copy(kMapped, address.bytes.begin());
    for (unsigned i = 0; i < 4; ++i)
        address.bytes[12 + i] = static_cast<std::uint8_t>(host_order >> (24 - 8 * i));
    return address;
}

IpAddress IpAddress::from_v6_bytes(const std::uint8_t* network_order16) {
    IpAddress address;
    std::copy_n(network_order16, 16, address.bytes.begin());
    return address;
}

bool IpAddress::is_v4() const {
    return std::equal(kMapped.begin(), kMapped.end(), bytes.begin());
}

bool IpAddress::is_loopback() const {
    if (is_v4()) return bytes[12] == 127;
    static constexpr std::array<std::uint8_t, 16> kOne{0, 0, 0, 0, 0, 0, 0, 0,
                                                       0, 0, 0, 0, 0, 0, 0, 1};
    return bytes == kOne;
}

bool IpAddress::is_private() const {
    if (is_v4()) return private_v4(load_be32(&bytes[12]));
    if (const auto inner = embedded_v4(*this)) return inner->is_private();
    return private_v6(bytes);
}

std::string IpAddress::to_string() const {
    char buffer[INET6_ADDRSTRLEN];
    const bool v4 = is_v4();
    inet_ntop(v4 ? AF_INET : AF_INET6, v4 ? &bytes[12] : bytes.data(), buffer, sizeof buffer);
    return buffer;
}

IpAddress canonical_destination(const IpAddress& address) {
    if (address == IpAddress::v4(0)) return IpAddress::v4(0x7f000001);
    if (address != IpAddress{}) return address;
    IpAddress one;
    one.bytes[15] = 1;
    return one;
}

std::optional<IpAddress> embedded_v4(const IpAddress& address) {
    static constexpr std::uint8_t kNat64[12] = {0, 0x64, 0xff, 0x9b};
    const auto& b = address.bytes;
    if (std::memcmp(b.data(), kNat64, sizeof kNat64) == 0) return IpAddress::v4(load_be32(&b[12]));
    if (b[0] == 0x20 && b[1] == 0x02) return IpAddress::v4(load_be32(&b[2]));
    return std::nullopt;
}

}  // namespace sluice
