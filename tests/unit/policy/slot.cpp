#include "policy/slot.h"

#include <netinet/in.h>

#include <cstring>

#include "policy/reason.h"

namespace sluice::test {
namespace {

sluice_verdict allow(std::uint8_t reason, std::uint32_t id = 0) {
    return {id, 1, reason, 0};
}
sluice_verdict deny(std::uint8_t reason, std::uint32_t id = 0) {
    return {id, 0, reason, 0};
}

bool bits_match(const sluice_prefix_key& key, const IpAddress& address) {
    for (std::uint32_t bit = 0; bit < key.prefixlen; ++bit) {
        const int mask = 0x80 >> (bit % 8);
        if (((key.addr[bit / 8] ^ address.bytes[bit / 8]) & mask) != 0) return false;
    }
    return true;
}

}  // namespace

Slot::Slot(const Plan& plan) : plan_(plan) {
    for (const auto& [key, value] : plan.exact)
        exact_[{IpAddress::from_v6_bytes(key.addr), ntohs(key.port_be)}] = value.rule_id;
}

std::uint32_t Slot::Prefixes::denied() const {
    return (rule_id & SLUICE_RANGE_DENY) != 0 ? rule_id & ~SLUICE_RANGE_DENY : 0;
}

std::uint32_t Slot::exact(const IpAddress& address, std::uint16_t port) const {
    const auto found = exact_.find({address, port});
    return found == exact_.end() ? 0 : found->second;
}

bool Slot::marked(const IpAddress& address) const {
    return exact_.contains({address, 0});
}

Slot::Prefixes Slot::longest(const IpAddress& address, std::uint16_t port) const {
    const std::pair<sluice_prefix_key, sluice_prefix_value>* best = nullptr;
    for (const auto& entry : plan_.prefixes)
        if (bits_match(entry.first, address) &&
            (!best || entry.first.prefixlen > best->first.prefixlen))
            best = &entry;
    if (!best) return {};
    Prefixes out{0, (best->second.flags & SLUICE_PREFIX_GRANTS) != 0};
    for (std::uint32_t i = 0; i < best->second.count; ++i) {
        const auto& range = plan_.ranges.at(best->second.first + i);
        if (port >= range.first && port <= range.last) out.rule_id = range.rule_id;
    }
    return out;
}

sluice_verdict Slot::tcp(const IpAddress& address, std::uint16_t port,
                         std::uint8_t listener) const {
    if (const auto id = exact(address, port)) return allow(SLUICE_REASON_RULE, id);
    const Prefixes own = longest(address, port);
    if (own.denied() != 0) return deny(SLUICE_REASON_HOST_DENY, own.denied());
    if (const auto inner = embedded_v4(address))
        if (const auto id = longest(*inner, port).denied())
            return deny(SLUICE_REASON_HOST_DENY, id);
    if (own.rule_id != 0) return allow(SLUICE_REASON_RULE, own.rule_id);
    const bool open = (plan_.flags & SLUICE_FLAG_OPEN) != 0;
    if (address.is_loopback()) {
        if (listener == SLUICE_LISTENER_OWN) return allow(SLUICE_REASON_OWN_LISTENER);
        if (open) return allow(SLUICE_REASON_OPEN_MODE);
        return deny(listener == SLUICE_LISTENER_OTHER ? SLUICE_REASON_LOOPBACK_SERVICE
                                                      : SLUICE_REASON_NO_LISTENER);
    }
    if (open) return allow(SLUICE_REASON_OPEN_MODE);
    return deny(marked(address) || own.grants ? SLUICE_REASON_WRONG_PORT : SLUICE_REASON_NO_RULE);
}

sluice_verdict Slot::udp(const IpAddress& address, std::uint16_t port,
                         const sluice_query& asked) const {
    const bool open = (plan_.flags & SLUICE_FLAG_OPEN) != 0, dns = port == 53;
    const bool connect = asked.op == SLUICE_OP_CONNECT;
    if (address.is_loopback()) {
        if (connect) return allow(SLUICE_REASON_ADDRESS_SORT);
        if (asked.op == SLUICE_OP_SEND) return allow(SLUICE_REASON_TO_EGRESS);
        if (asked.listener == SLUICE_LISTENER_OWN) return allow(SLUICE_REASON_OWN_LISTENER);
        if (open) return allow(SLUICE_REASON_OPEN_MODE);
        return deny(dns ? SLUICE_REASON_DNS : SLUICE_REASON_UDP);
    }
    const Prefixes own = longest(address, port);
    std::uint32_t denied = own.denied();
    const auto inner = embedded_v4(address);
    if (denied == 0 && inner) denied = longest(*inner, port).denied();
    if (open && denied != 0) return deny(SLUICE_REASON_HOST_DENY, denied);
    if (open) return allow(SLUICE_REASON_OPEN_MODE);
    if (dns) return deny(SLUICE_REASON_DNS);
    if (connect && (marked(address) || own.grants)) return allow(SLUICE_REASON_ADDRESS_SORT);
    return deny(SLUICE_REASON_UDP);
}

sluice_verdict Slot::decide(const sluice_query& asked) const {
    if ((plan_.flags & SLUICE_FLAG_DISABLED) != 0) return deny(SLUICE_REASON_DISABLED);
    const std::uint16_t port = ntohs(asked.port_be);
    const bool sorting = asked.proto == IPPROTO_UDP && asked.op == SLUICE_OP_CONNECT;
    if (port == 0 && !sorting) return deny(SLUICE_REASON_PORT_ZERO);
    const IpAddress address = canonical_destination(IpAddress::from_v6_bytes(asked.addr));
    if (asked.proto == IPPROTO_TCP) return tcp(address, port, asked.listener);
    if (asked.proto == IPPROTO_UDP) return udp(address, port, asked);
    return deny(SLUICE_REASON_SOCKET_TYPE);
}

sluice_query query(const IpAddress& address, std::uint16_t port, std::uint8_t proto,
                   std::uint8_t op, std::uint8_t listener) {
    sluice_query q{};
    std::memcpy(q.addr, address.bytes.data(), sizeof q.addr);
    q.port_be = htons(port);
    q.proto = proto;
    q.op = op;
    q.listener = listener;
    return q;
}

std::string show(const sluice_verdict& verdict) {
    std::string out = verdict.allow != 0 ? "allow " : "deny ";
    out += reason_id(verdict.reason);
    if (verdict.rule_id != 0) out += " " + std::to_string(verdict.rule_id);
    return out;
}

}  // namespace sluice::test
