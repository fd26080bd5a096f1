#include "sandbox/remedy.h"

#include <netinet/in.h>
#include <sluice/abi.h>

#include "policy/reason.h"
#include "policy/rule.h"

namespace sluice::sandbox {

namespace {

std::string with_port(const std::string& host, std::uint16_t port) {
    const bool v6 = host.find(':') != std::string::npos;
    return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

constexpr std::uint16_t kUsualPort = 443;  // a look-up has no port

// As a POSIX shell reads it back.
std::string quoted(const std::string& word) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%";
    if (word.find_first_not_of(kPlain) == std::string::npos) return word;
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
    return out + "'";
}

std::string add_or_why_not(const Refusal& refusal, const std::string& endpoint) {
    if (!Endpoint::parse(endpoint)) return "no rule can name it";
    return add_command(refusal.policy_file, endpoint);
}

std::string dns_remedy(const Refusal& refusal) {
    constexpr std::size_t kCut = SLUICE_NAME_LEN - 1;  // the kernel keeps so many characters
    if (refusal.host.empty()) return "allow the name you need: sluice add NAME:PORT";
    if (refusal.named == Named::kYes)
        return "look it up through the system's resolver, which reads /etc/hosts";
    if (refusal.named == Named::kUnresolved)
        return "check the name and the host's resolver; a new run resolves it again";
    if (refusal.host.size() >= kCut || refusal.host.find('?') != std::string::npos)
        return "name too long to tell in full, or not of letters and digits";
    return add_or_why_not(refusal, with_port(refusal.host, kUsualPort));
}

std::string dns_text(const Refusal& refusal) {
    if (refusal.host.empty()) return std::string(reason_text(refusal.reason));
    if (refusal.named == Named::kYes) return "in the policy, whose names /etc/hosts resolves";
    if (refusal.named == Named::kUnresolved) return "in the policy, but it did not resolve";
    return "not in the policy";
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

std::string add_command(const std::string& policy_file, const std::string& endpoint) {
    const bool found = policy_file.empty() || policy_file == ".sluice.toml";
    return "sluice add " + (found ? "" : "--policy " + quoted(policy_file) + " ") + endpoint;
}

std::string refusal_text(const Refusal& refusal) {
    if (refusal.reason == SLUICE_REASON_DNS) return dns_text(refusal);
    std::string text(reason_text(refusal.reason));
    if (refusal.reason == SLUICE_REASON_HOST_DENY && !refusal.rule.empty()) {
        text += " (" + refusal.rule + ")";
    }
    return text;
}

std::string refusal_remedy(const Refusal& refusal) {
    switch (refusal.reason) {
        case SLUICE_REASON_NO_RULE:
        case SLUICE_REASON_WRONG_PORT:
        case SLUICE_REASON_LOOPBACK_SERVICE:
            return add_or_why_not(refusal, refusal.endpoint());
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
