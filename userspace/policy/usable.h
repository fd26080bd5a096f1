// Which of a name's addresses a policy lets the kernel allow.
#pragma once

#include <string>
#include <vector>

#include "policy/policy.h"
#include "policy/resolution.h"

namespace sluice {

struct Usable {
    std::vector<IpAddress> addresses;  // sorted, unique, as the kernel connects to them
    std::vector<std::string> notes;    // what was left out, why, and the remedy
};

// A name's private addresses need `allow_private` (whoever runs the DNS would otherwise choose what
// the sandbox reaches on this network), and at most `learned_addresses` of the rest are used.
Usable usable_addresses(const Policy& policy, const Resolution& resolution, const DnsName& name);

}  // namespace sluice
