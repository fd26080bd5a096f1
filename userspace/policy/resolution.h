// What the names of a policy resolved to, and when. Plain data: made by resolve/, read by plan().
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "policy/rule.h"

namespace sluice {

struct ResolvedName {
    std::vector<IpAddress> addresses;  // sorted, unique; empty: unresolved
    std::chrono::seconds ttl{0};       // minimum over the chain
    std::string answered_by;           // "dns 127.0.0.1", "/etc/hosts"; empty: nobody
    std::string error;                 // why unresolved, or why one family is missing; may be empty
    Time when{};
};

// Keyed by canonical name. A name of the policy that is not here is unresolved too.
struct Resolution {
    std::map<std::string, ResolvedName> names;

    // The names that resolved to this address, sorted.
    [[nodiscard]] std::vector<std::string> names_of(const IpAddress& address) const;
};

}  // namespace sluice
