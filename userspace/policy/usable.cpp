#include "policy/usable.h"

#include <algorithm>

namespace sluice {
namespace {

std::string private_note(const std::string& name, const IpAddress& address) {
    return "private_address: " + name + " resolved to " + address.to_string() +
           ", which is not a public address, and is not allowed there; if that is meant, write "
           "[egress.resolve] allow_private = [\"" +
           name + "\"]";
}

std::string many_note(const std::string& name, std::size_t count, std::uint32_t limit) {
    return "many_addresses: " + name + " resolved to " + std::to_string(count) +
           " addresses, the first " + std::to_string(limit) +
           " are allowed; raise [egress.limits] learned_addresses to allow more";
}

}  // namespace

Usable usable_addresses(const Policy& policy, const Resolution& resolution, const DnsName& name) {
    Usable out;
    const auto found = resolution.names.find(name.text);
    if (found == resolution.names.end()) return out;
    const bool private_too =
        std::ranges::find(policy.allow_private, name) != policy.allow_private.end();
    for (const auto& answered : found->second.addresses) {
        const IpAddress address = canonical_destination(answered);
        if (address.is_private() && !private_too)
            out.notes.push_back(private_note(name.text, answered));
        else
            out.addresses.push_back(address);
    }
    std::ranges::sort(out.addresses);
    out.addresses.erase(std::unique(out.addresses.begin(), out.addresses.end()),
                        out.addresses.end());
    if (out.addresses.size() > policy.learned_addresses) {
        out.notes.push_back(many_note(name.text, out.addresses.size(), policy.learned_addresses));
        out.addresses.resize(policy.learned_addresses);
    }
    return out;
}

}  // namespace sluice
