// The effective policy of one sandbox: the union of its layers, and the deny entries that win.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "policy/rule.h"

namespace sluice {

enum class Mode : std::uint8_t { kManaged, kOpen };

// An entry of the deny ceiling. Only literals: a deny by name could not be exact in the kernel.
struct DenyEntry {
    IpPrefix prefix;
    PortSet ports;
    Source source;
    std::string note;                        // "cloud metadata", "link-local", ...
    [[nodiscard]] std::string text() const;  // "169.254.0.0/16:*"
};

// What one layer contributes.
struct LayerRules {
    std::vector<Rule> rules;
    std::vector<DenyEntry> denies;
};

// Immutable once joined. Rules are sorted and unique by (endpoint, via); every one keeps all its
// sources. An empty rule list means nothing is allowed.
struct Policy {
    bool enabled = true;  // false: no egress at all
    Mode mode = Mode::kManaged;
    std::vector<Rule> rules;
    std::vector<DenyEntry> denies;  // builtin first, then the host's
    std::vector<DnsName> allow_private;
    std::chrono::seconds retain{24 * 3600};
    std::uint32_t learned_addresses = 64;
    std::vector<std::string> required;  // protections without which create refuses, e.g. "lsm"

    // The names the kernel path needs addresses for: static_tcp rules by name, sorted, unique.
    [[nodiscard]] std::vector<DnsName> kernel_names() const;
};

// The deny entries every policy begins with: cloud metadata, link-local, multicast, broadcast,
// 0.0.0.0/8 but not 0.0.0.0 itself (that is loopback, canonical_destination).
const std::vector<DenyEntry>& builtin_denies();

// Union of the layers; deny entries are appended, never dropped. `localhost` becomes
// 127.0.0.1 and ::1. Rules expired at `now` are left out.
Policy join(const std::vector<LayerRules>& layers, Time now);

}  // namespace sluice
