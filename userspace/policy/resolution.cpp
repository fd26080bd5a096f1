#include "policy/resolution.h"

#include <algorithm>

namespace sluice {

std::vector<std::string> Resolution::names_of(const IpAddress& address) const {
    std::vector<std::string> found;
    for (const auto& [name, resolved] : names)
        if (std::ranges::binary_search(resolved.addresses, address)) found.push_back(name);
    return found;
}

}  // namespace sluice
