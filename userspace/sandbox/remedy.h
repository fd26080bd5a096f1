// Why something was refused, in one clause, and what would allow it. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "policy/address.h"

namespace sluice::sandbox {

struct Refusal {
    std::uint8_t reason = 0;  // SLUICE_REASON_*
    std::uint8_t proto = 0;   // IPPROTO_*; 0: none
    IpAddress address{};
    std::uint16_t port = 0;
    std::string host{};  // a name the address is known by, or the DNS name asked; may be empty
    std::string rule{};  // HOST_DENY: the deny entry's text and source; else empty
    [[nodiscard]] std::string endpoint() const;  // "HOST:PORT", the name where there is one
};

std::string refusal_text(const Refusal& refusal);
// A command where there is one ("sluice add db.example:5432"), else a sentence. Never empty.
std::string refusal_remedy(const Refusal& refusal);

std::string_view proto_name(std::uint8_t proto);  // "tcp", "udp", ...; "" for 0

}  // namespace sluice::sandbox
