// Hosts that are numbers in disguise: what inet_aton(3) would make of them, to say what was meant.
#pragma once

#include <string>
#include <string_view>

#include "policy/address.h"

namespace sluice {

// The last label is digits or 0x-hex, so no resolver takes it for a name (127.1, 0x7f.1, 1.2.3.4).
bool looks_numeric(std::string_view host);

// The error for such a host that is not a canonical IPv4 address.
Error numeric_error(std::string_view host);

}  // namespace sluice
