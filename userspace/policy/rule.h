// One rule as written: HOST:PORTS, and the path that serves it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "policy/address.h"
#include "policy/ports.h"

namespace sluice {

// A DNS name in canonical form: lower-case A-labels, no trailing dot.
struct DnsName {
    std::string text;
    static Result<DnsName> parse(std::string_view text);  // IDNs become A-labels (libidn2)
    friend auto operator<=>(const DnsName&, const DnsName&) = default;
};

// `*.example.com`: every name below example.com, not example.com itself.
struct Wildcard {
    DnsName below;
    [[nodiscard]] bool covers(const DnsName& name) const;
    friend auto operator<=>(const Wildcard&, const Wildcard&) = default;
};

// What a rule's HOST can be. `localhost` is the two loopback literals (see policy.cpp's expansion).
using Host = std::variant<DnsName, Wildcard, IpPrefix>;
std::string to_string(const Host& host);  // IPv6 without brackets

// HOST:PORTS.
struct Endpoint {
    Host host;
    PortSet ports;

    // The port is mandatory; IPv6 in brackets, a v6 prefix as [2001:db8::]/32:443 or
    // [2001:db8::/32]:443. Errors say what was probably meant.
    static Result<Endpoint> parse(std::string_view text);
    [[nodiscard]] std::string to_string() const;  // canonical text, parses back to the same
    friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

enum class Via : std::uint8_t { kKernel, kGateway };
enum class Layer : std::uint8_t { kBuiltin, kBaseline, kGrant, kProject, kCommand };
std::string_view to_string(Via via);      // "kernel", "gateway"
std::string_view to_string(Layer layer);  // "builtin", "baseline", ...

// Where an entry comes from.
struct Source {
    Layer layer = Layer::kProject;
    std::string file;        // as the user named it; "--allow" for the command layer; may be empty
    std::uint32_t line = 0;  // 1-based; 0 where there is none
    std::string detail;      // e.g. "preset npm", "grant tools"; may be empty
    [[nodiscard]] std::string to_string() const;  // "project .sluice.toml:4 (preset npm)"
    friend auto operator<=>(const Source&, const Source&) = default;
};

using Time = std::chrono::system_clock::time_point;

struct Rule {
    Endpoint endpoint;
    Via via = Via::kKernel;
    std::vector<Source> sources;  // every place that states it, sorted; at least one
    std::string note;
    std::optional<Time> expires;

    [[nodiscard]] std::string text() const { return endpoint.to_string(); }
};

}  // namespace sluice
