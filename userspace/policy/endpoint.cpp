#include <algorithm>

#include "policy/numeric.h"
#include "policy/rule.h"
#include "policy/text.h"

namespace sluice {
namespace {

constexpr std::size_t kMaxText = 400'000;  // the longest port list that means anything fits

struct Split {
    std::string_view host;
    std::string_view ports;
    bool bracketed = false;
};

Error missing_port(std::string_view host) {
    return Error::invalid("rule " + in_quotes(host) + " has no port: write " +
                          printable(host.substr(0, 120)) + ":443, or another port");
}

// "[ADDR]:P", "[ADDR]/32:P", "[ADDR/32]:P".
Result<Split> split_brackets(std::string_view text) {
    const auto close = text.find(']');
    if (close == text.npos)
        return Error::invalid("rule " + in_quotes(text) + ": the \"[\" is never closed");
    const auto rest = text.substr(close + 1);
    const auto colon = rest.find(':');
    if (colon == rest.npos) return missing_port(text);
    if (colon != 0 && rest[0] != '/')
        return Error::invalid("rule " + in_quotes(text) +
                              ": after \"]\" comes \":PORT\" or \"/N\"");
    return Split{text.substr(0, close + 1 + colon), rest.substr(colon + 1), true};
}

Error bare_v6(std::string_view text) {
    const auto last = text.rfind(':');
    const auto head = text.substr(0, last);
    const auto tail = text.substr(last + 1);
    std::string meant;
    if (IpAddress::parse(text) || IpPrefix::parse(text))
        meant = "[" + std::string(text) + "]:443";
    else if ((IpAddress::parse(head) || IpPrefix::parse(head)) && PortSet::parse(tail))
        meant = "[" + std::string(head) + "]:" + std::string(tail);
    if (meant.empty())
        return Error::invalid("rule " + in_quotes(text) +
                              " has more than one colon: write HOST:PORT, and IPv6 in brackets as "
                              "in [2001:db8::7]:443");
    return Error::invalid("rule " + in_quotes(text) + ": IPv6 goes in brackets: write " + meant);
}

Result<Split> split(std::string_view text) {
    if (text.starts_with('[')) return split_brackets(text);
    const auto colon = text.find(':');
    if (colon == text.npos) return missing_port(text);
    if (text.find(':', colon + 1) != text.npos) return bare_v6(text);
    return Split{text.substr(0, colon), text.substr(colon + 1), false};
}

Result<Host> address_host(const IpAddress& address) {
    if (canonical_destination(address) == address) return Host{IpPrefix::host(address)};
    const std::string meant = canonical_destination(address).to_string();
    return Error::invalid("host " + in_quotes(address.to_string()) + " means this host: write " +
                          meant + ", or localhost for both families");
}

Result<Host> bracketed_host(std::string_view text) {
    const auto close = text.find(']');
    const std::string inside(text.substr(1, close - 1));
    const std::string_view after = text.substr(close + 1);
    if (inside.find(':') == inside.npos)
        return Error::invalid("host " + in_quotes(text) + ": only IPv6 goes in brackets: write " +
                              printable(inside + std::string(after)));
    if (after.empty() && inside.find('/') == inside.npos) {
        SLUICE_ASSIGN(const IpAddress address, IpAddress::parse(inside));
        return address_host(address);
    }
    SLUICE_ASSIGN(const IpPrefix prefix, IpPrefix::parse(inside + std::string(after)));
    if (prefix.is_single()) return address_host(prefix.base);
    return Host{prefix};
}

Result<Host> prefix_host(std::string_view text) {
    const auto base = text.substr(0, text.find('/'));
    if (!looks_numeric(base))
        return Error::invalid("host " + in_quotes(text) +
                              " has a path: a rule is HOST:PORT, write " +
                              printable(base.substr(0, 120)) + " and the port");
    SLUICE_ASSIGN(const IpPrefix prefix, IpPrefix::parse(text));
    if (prefix.is_single()) return address_host(prefix.base);
    return Host{prefix};
}

Result<Host> wildcard_host(std::string_view text) {
    if (text == "*" || text == "*.")
        return Error::invalid(
            "host \"*\" would allow every host: name the hosts, write "
            "*.example.com for all names below one, or a network as in 10.0.0.0/8");
    if (!text.starts_with("*.") || text.find('*', 1) != text.npos)
        return Error::invalid("host " + in_quotes(text) +
                              ": a wildcard is only a leading \"*.\", as in *.example.com");
    SLUICE_ASSIGN(DnsName below, DnsName::parse(text.substr(2)));
    return Host{Wildcard{std::move(below)}};
}

Result<Host> parse_host(const Split& parts) {
    if (parts.bracketed) return bracketed_host(parts.host);
    if (parts.host.find('/') != parts.host.npos) return prefix_host(parts.host);
    if (parts.host.find('*') != parts.host.npos) return wildcard_host(parts.host);
    if (looks_numeric(parts.host)) {
        SLUICE_ASSIGN(const IpAddress address, IpAddress::parse(parts.host));
        return address_host(address);
    }
    SLUICE_ASSIGN(DnsName name, DnsName::parse(parts.host));
    return Host{std::move(name)};
}

bool is_blank_or_control(char c) {
    return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f;
}

// What people paste: URLs, user@host, blanks around.
Status check_written(std::string_view text) {
    if (text.empty()) return Error::invalid("the rule is empty: write HOST:PORT");
    if (text.size() > kMaxText)
        return Error::invalid("rule " + in_quotes(text) + " is too long: write HOST:PORT");
    if (std::ranges::any_of(text, is_blank_or_control))
        return Error::invalid("rule " + in_quotes(text) +
                              " contains a blank or a control character: write HOST:PORT "
                              "without any, one rule a string");
    if (const auto scheme = text.find("://"); scheme != text.npos) {
        const auto rest = text.substr(scheme + 3);
        const auto host = rest.substr(0, rest.find_first_of("/:?#"));
        return Error::invalid("rule " + in_quotes(text) + " is a URL: write HOST:PORT, as in " +
                              printable(host.substr(0, 120)) +
                              (text.starts_with("http:") ? ":80" : ":443"));
    }
    if (text.find('@') != text.npos)
        return Error::invalid("rule " + in_quotes(text) +
                              " has a user: write HOST:PORT without it");
    return {};
}

}  // namespace

Result<Endpoint> Endpoint::parse(std::string_view text) {
    SLUICE_TRY(check_written(text));
    if (text == "*") return wildcard_host(text).error();
    SLUICE_ASSIGN(const Split parts, split(text));
    if (parts.host.empty())
        return Error::invalid("rule " + in_quotes(text) +
                              " has no host: write the host before the colon");
    SLUICE_ASSIGN(Host host, parse_host(parts));
    if (parts.ports.empty()) return missing_port(parts.host);
    SLUICE_ASSIGN(PortSet ports, PortSet::parse(parts.ports));
    return Endpoint{std::move(host), std::move(ports)};
}

std::string to_string(const Host& host) {
    if (const auto* name = std::get_if<DnsName>(&host)) return name->text;
    if (const auto* wildcard = std::get_if<Wildcard>(&host)) return "*." + wildcard->below.text;
    return std::get<IpPrefix>(host).to_string();
}

std::string Endpoint::to_string() const {
    const auto* prefix = std::get_if<IpPrefix>(&host);
    std::string text = sluice::to_string(host);
    if (prefix && text.find(':') != text.npos) {
        text.insert(0, "[");
        text.insert(std::min(text.find('/'), text.size()), "]");
    }
    return text + ":" + ports.to_string();
}

}  // namespace sluice
