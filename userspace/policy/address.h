// IP addresses and prefixes as the kernel tables hold them: 16 bytes, IPv4 as ::ffff:a.b.c.d.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sluice {

struct IpAddress {
    std::array<std::uint8_t, 16> bytes{};  // network order

    // Canonical forms only: dotted quad without leading zeros, RFC 4291 text. `127.1`, `0x7f.1`,
    // `2130706433`, `010.0.0.1`, zone ids and brackets are errors that say what was meant.
    // `::ffff:a.b.c.d` is the IPv4 address.
    static Result<IpAddress> parse(std::string_view text);
    static IpAddress v4(std::uint32_t host_order);
    static IpAddress from_v6_bytes(const std::uint8_t* network_order16);

    [[nodiscard]] bool is_v4() const;
    [[nodiscard]] bool is_loopback() const;  // 127.0.0.0/8 or ::1
    // Not reachable as a public host: RFC 1918, RFC 6598, link-local, ULA, loopback, unspecified,
    // multicast, broadcast; also where NAT64 or 6to4 embeds such an IPv4.
    [[nodiscard]] bool is_private() const;
    [[nodiscard]] std::string to_string() const;  // RFC 5952; IPv4 as a dotted quad

    friend auto operator<=>(const IpAddress&, const IpAddress&) = default;
};

// What the kernel really connects to: 0.0.0.0 is 127.0.0.1, :: is ::1; else unchanged.
IpAddress canonical_destination(const IpAddress& address);

// The IPv4 address inside 64:ff9b::/96 (RFC 6052) or 2002::/16 (RFC 3056), as an IpAddress.
std::optional<IpAddress> embedded_v4(const IpAddress& address);

struct IpPrefix {
    IpAddress base;             // host bits zero
    std::uint8_t length = 128;  // 0..128; an IPv4 /n is 96+n

    // "10.0.0.0/8", "2001:db8::/32". Host bits set is an error that names the right base.
    static Result<IpPrefix> parse(std::string_view text);
    static IpPrefix host(const IpAddress& address) { return {address, 128}; }

    [[nodiscard]] bool contains(const IpAddress& address) const;
    [[nodiscard]] bool contains(const IpPrefix& other) const;
    [[nodiscard]] bool is_single() const { return length == 128; }
    [[nodiscard]] std::string to_string() const;  // without "/32" or "/128" where single

    friend auto operator<=>(const IpPrefix&, const IpPrefix&) = default;
};

}  // namespace sluice
