// Why something was refused, in one clause, and what would allow it. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "policy/address.h"

namespace sluice::sandbox {

// Whether the policy has the name that was asked.
enum class Named : std::uint8_t { kNo, kYes, kUnresolved };

struct Refusal {
    std::uint8_t reason = 0;  // SLUICE_REASON_*
    std::uint8_t proto = 0;   // IPPROTO_*; 0: none
    IpAddress address{};
    std::uint16_t port = 0;
    std::string host{};  // a name the address is known by, or the DNS name asked; may be empty
    std::string rule{};  // HOST_DENY: the deny entry's text and source; else empty
    Named named = Named::kNo;                    // of DNS
    std::string policy_file{};                   // the project's; empty: none
    [[nodiscard]] std::string endpoint() const;  // "HOST:PORT", the name where there is one
};

std::string refusal_text(const Refusal& refusal);
// "sluice add [--policy FILE] ENDPOINT", for a shell. Without a file, or with the default one,
// `add` finds it by itself.
std::string add_command(const std::string& policy_file, const std::string& endpoint);
// A command where there is one, as it is to be typed: then it begins with "sluice ". Else a
// sentence. Never empty.
std::string refusal_remedy(const Refusal& refusal);

std::string_view proto_name(std::uint8_t proto);  // "tcp", "udp", ...; "" for 0

}  // namespace sluice::sandbox
