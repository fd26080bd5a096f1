// What `explain` is asked about: "HOST:PORT" or "HOST".
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "policy/rule.h"

namespace sluice::sandbox {

struct Target {
    std::variant<DnsName, IpAddress> host;
    std::optional<std::uint16_t> port;

    // A wildcard, a network, a list or range of ports is an error: one destination at a time.
    static Result<Target> parse(std::string_view text);
    [[nodiscard]] std::string host_text() const;
};

}  // namespace sluice::sandbox
