#include "sandbox/remedy.h"

#include <netinet/in.h>
#include <sluice/abi.h>

#include "policy/reason.h"

namespace sluice::sandbox {

namespace {

std::string with_port(const std::string& host, std::uint16_t port) {
    const bool v6 = host.find(':') != std::string::npos;
    return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string add_command(const Refusal& refusal) {
    return "sluice add " + refusal.endpoint();
}

std::string dns_remedy(const Refusal& refusal) {
    if (refusal.host.empty()) return "allow the name you need: sluice add NAME:PORT";
    return "sluice add " + with_port(refusal.host, 443) + " (or the port you need)";
}

std::string deny_remedy(const Refusal& refusal) {
    const std::string entry = refusal.rule.empty() ? "a deny entry" : "'" + refusal.rule + "'";
    return entry +
           " is denied to every sandbox of this host; only the host's operator can change it";
}

}  // namespace

std::string Refusal::endpoint() const {
    return with_port(host.empty() ? address.to_string() : host, port);
}

std::string_view proto_name(std::uint8_t proto) {
    switch (proto) {
        case 0:
            return "";
        case IPPROTO_ICMP:
            return "icmp";
        case IPPROTO_TCP:
            return "tcp";
        case IPPROTO_UDP:
            return "udp";
        case IPPROTO_ICMPV6:
            return "icmpv6";
        case IPPROTO_SCTP:
            return "sctp";
        case IPPROTO_UDPLITE:
            return "udplite";
        case IPPROTO_RAW:
            return "raw";
        default:
            return "other";
    }
}

std::string refusal_text(const Refusal& refusal) {
    std::string text(reason_text(refusal.reason));
    if (refusal.reason == SLUICE_REASON_HOST_DENY && !refusal.rule.empty()) {
        text += " (" + refusal.rule + ")";
    }
    if (refusal.reason == SLUICE_REASON_DNS && !refusal.host.empty()) {
        text += "; '" + refusal.host + "' is not one of them";
    }
    return text;
}

std::string refusal_remedy(const Refusal& refusal) {
    switch (refusal.reason) {
        case SLUICE_REASON_NO_RULE:
        case SLUICE_REASON_WRONG_PORT:
        case SLUICE_REASON_LOOPBACK_SERVICE:
            return add_command(refusal);
        case SLUICE_REASON_HOST_DENY:
            return deny_remedy(refusal);
        case SLUICE_REASON_NO_LISTENER:
            return "start the service first";
        case SLUICE_REASON_UDP:
            return "UDP carries no rules; use TCP to this host";
        case SLUICE_REASON_DNS:
            return dns_remedy(refusal);
        case SLUICE_REASON_SOCKET_TYPE:
            return "only TCP and UDP sockets can be made in a sandbox; no rule opens another kind";
        case SLUICE_REASON_PACKET:
            return "send plain TCP; no rule opens fragments, IP options or other protocols";
        case SLUICE_REASON_INBOUND:
            return "a sandbox's service answers loopback peers only; reach it from this host";
        case SLUICE_REASON_DISABLED:
            return "set `enabled = true` under [egress] and run again";
        case SLUICE_REASON_NOT_CONFIGURED:
            return "wait until create has answered, or run again";
        case SLUICE_REASON_PORT_ZERO:
            return "name the port you need: sluice add HOST:PORT";
        default:
            return "run `sluice doctor`, and report it with its output";
    }
}

}  // namespace sluice::sandbox
