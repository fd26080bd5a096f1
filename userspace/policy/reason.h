// Reason codes as people and machines read them. The numbers are abi.h's SLUICE_REASON_*.
#pragma once

#include <cstdint>
#include <string_view>

namespace sluice {

// The stable snake_case id of JSON answers: "no_rule", "wrong_port", "host_deny", ...
std::string_view reason_id(std::uint8_t reason);
// One clause for a person: "no rule covers it", "DNS: only the policy's names resolve", ...
std::string_view reason_text(std::uint8_t reason);
bool is_denial(std::uint8_t reason);  // what was refused; false for allow reasons

}  // namespace sluice
