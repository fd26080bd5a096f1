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

Result<std::uint16_t> single(const PortSet& ports, std::string_view text) {
    const auto& ranges = ports.ranges();
    if (ranges.size() != 1 || ranges.front().first != ranges.front().last) {
        return one_at_a_time(text);
    }
    return ranges.front().first;
}

// An address that no rule may name ("0.0.0.0") can be asked about all the same.
Result<Target> literal(const IpAddress& address, std::string_view port, std::string_view text) {
    Target target{.host = address, .port = {}};
    if (port.empty()) return target;
    SLUICE_ASSIGN(const PortSet ports, PortSet::parse(port));
    SLUICE_ASSIGN(target.port, single(ports, text));
    return target;
}

}  // namespace

Result<Target> Target::parse(std::string_view text) {
    const bool ported = has_port(text);
    const auto colon = ported ? text.rfind(':') : text.size();
    const std::string host = without_brackets(text.substr(0, colon));
    const std::string_view port = ported ? text.substr(colon + 1) : std::string_view("1");
    if (const auto address = IpAddress::parse(host); address && !port.empty()) {
        return literal(*address, ported ? port : std::string_view(), text);
    }
    // The rule grammar decides what a name is; it wants a port.
    SLUICE_ASSIGN(const Endpoint endpoint,
                  Endpoint::parse(ported ? std::string(text) : host + ":1"));
    const auto* name = std::get_if<DnsName>(&endpoint.host);
    if (name == nullptr) return one_at_a_time(text);
    SLUICE_ASSIGN(const std::uint16_t number, single(endpoint.ports, text));
    Target target{.host = *name, .port = {}};
    if (ported) target.port = number;
    return target;
}

std::string Target::host_text() const {
    if (const auto* name = std::get_if<DnsName>(&host)) return name->text;
    return std::get<IpAddress>(host).to_string();
}

}  // namespace sluice::sandbox
