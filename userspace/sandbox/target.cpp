#include "sandbox/target.h"

#include <string>

namespace sluice::sandbox {

namespace {

Error one_at_a_time(std::string_view text) {
    return Error::invalid("'" + std::string(text) +
                          "': ask about one destination, as HOST:PORT or HOST");
}

// "[::1]" and "::1" and names; a lone IPv6 address has more than one colon.
bool has_port(std::string_view text) {
    if (text.starts_with('[')) return text.find("]:") != std::string_view::npos;
    const auto first = text.find(':');
    return first != std::string_view::npos && text.find(':', first + 1) == std::string_view::npos;
}

std::string without_brackets(std::string_view text) {
    if (text.size() > 1 && text.front() == '[' && text.back() == ']') {
        text = text.substr(1, text.size() - 2);
    }
    return std::string(text);
}

}  // namespace

Result<Target> Target::parse(std::string_view text) {
    std::string full(text);
    // The rule grammar decides what a host is; it wants a port.
    if (!has_port(text)) {
        const std::string host = without_brackets(text);
        full = (host.find(':') != std::string::npos ? "[" + host + "]" : host) + ":1";
    }
    SLUICE_ASSIGN(const Endpoint endpoint, Endpoint::parse(full));
    Target target;
    if (const auto* name = std::get_if<DnsName>(&endpoint.host)) {
        target.host = *name;
    } else if (const auto* prefix = std::get_if<IpPrefix>(&endpoint.host);
               prefix != nullptr && prefix->is_single()) {
        target.host = prefix->base;
    } else {
        return one_at_a_time(text);
    }
    const auto& ranges = endpoint.ports.ranges();
    if (ranges.size() != 1 || ranges.front().first != ranges.front().last) {
        return one_at_a_time(text);
    }
    if (has_port(text)) target.port = ranges.front().first;
    return target;
}

std::string Target::host_text() const {
    if (const auto* name = std::get_if<DnsName>(&host)) return name->text;
    return std::get<IpAddress>(host).to_string();
}

}  // namespace sluice::sandbox
