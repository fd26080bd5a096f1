#include "config/rules.h"

#include "policy/text.h"

namespace sluice::config {
namespace {

void warn_breadth(Findings& findings, const Text& written, const Endpoint& endpoint) {
    if (const auto* wildcard = std::get_if<Wildcard>(&endpoint.host)) {
        if (wildcard->below.text.find('.') == std::string::npos)
            findings.add(Severity::kWarning, written.line, written.key,
                         in_quotes(written.value) + " covers a whole top-level domain",
                         "name the domains that are meant");
        return;
    }
    const auto* prefix = std::get_if<IpPrefix>(&endpoint.host);
    if (!prefix || prefix->is_single()) return;
    for (const auto* loopback : {"127.0.0.1", "::1"})
        if (prefix->contains(*IpAddress::parse(loopback)))
            findings.add(
                Severity::kWarning, written.line, written.key,
                in_quotes(written.value) + " covers loopback too, and the host's services there",
                "write the networks that are meant");
}

void note_loopback(Findings& findings, const Text& written, const Endpoint& endpoint) {
    const auto* prefix = std::get_if<IpPrefix>(&endpoint.host);
    const auto* name = std::get_if<DnsName>(&endpoint.host);
    const bool loopback = prefix ? prefix->is_single() && prefix->base.is_loopback()
                                 : name && name->text == "localhost";
    if (loopback)
        findings.add(
            Severity::kNote, written.line, written.key,
            in_quotes(written.value) +
                " is the sandbox's own loopback where it has a network namespace of its own");
}

std::string with_all_ports(const std::string& written) {
    const bool has_port = Endpoint::parse(written).has_value();
    return has_port ? written : written + ":*";
}

}  // namespace

std::optional<Rule> read_rule(Findings& findings, const Text& written, Via via, Source source) {
    auto endpoint = Endpoint::parse(written.value);
    if (!endpoint) {
        findings.add(written.line, written.key, endpoint.error());
        return std::nullopt;
    }
    if (via == Via::kKernel && std::holds_alternative<Wildcard>(endpoint->host)) {
        findings.add(Severity::kError, written.line, written.key,
                     in_quotes(written.value) + " is a wildcard, and cannot be resolved ahead",
                     "write it under relayed");
        return std::nullopt;
    }
    warn_breadth(findings, written, *endpoint);
    note_loopback(findings, written, *endpoint);
    return Rule{std::move(*endpoint), via, {std::move(source)}, {}, {}};
}

void read_rules(Findings& findings, const std::vector<Text>& written, Via via, Layer layer,
                std::string_view detail, std::vector<Rule>& out) {
    for (const auto& item : written) {
        Source source{layer, findings.file(), item.line, std::string(detail)};
        if (auto rule = read_rule(findings, item, via, std::move(source)))
            out.push_back(std::move(*rule));
    }
    if (via == Via::kGateway && !written.empty())
        note_relayed(findings, written.front().line,
                     written.front().key.substr(0, written.front().key.rfind('[')));
}

void read_denies(Findings& findings, const std::vector<Text>& written, Layer layer,
                 std::vector<DenyEntry>& out) {
    for (const auto& item : written) {
        const auto endpoint = Endpoint::parse(with_all_ports(item.value));
        if (!endpoint) {
            findings.add(item.line, item.key, endpoint.error());
            continue;
        }
        const auto* prefix = std::get_if<IpPrefix>(&endpoint->host);
        if (!prefix) {
            findings.add(
                Severity::kError, item.line, item.key,
                in_quotes(item.value) + " is a name, and a deny by name could not be exact",
                "write its addresses or networks, as in 192.0.2.0/24");
            continue;
        }
        out.push_back({*prefix, endpoint->ports, {layer, findings.file(), item.line, "deny"}, ""});
    }
}

void note_relayed(Findings& findings, std::uint32_t line, std::string key) {
    findings.add(
        Severity::kNote, line, std::move(key),
        "parsed; relayed rules are not served in this version: connects to them are refused");
}

}  // namespace sluice::config
