#include "policy/decide.h"

#include <netinet/in.h>

#include <algorithm>
#include <optional>

#include "policy/usable.h"

namespace sluice {
namespace {

sluice_verdict allow(std::uint8_t reason, std::uint32_t id = 0) {
    return {id, 1, reason, 0};
}
sluice_verdict deny(std::uint8_t reason, std::uint32_t id = 0) {
    return {id, 0, reason, 0};
}

using Id = std::optional<std::uint32_t>;  // 0: a rule that the ids never saw

// The policy's words, asked about one destination. Linear on purpose: no table, nothing shared with
// plan() but which addresses of a name count.
class Asked {
  public:
    Asked(const Policy& policy, const Resolution& resolution, const RuleIds& ids,
          const IpAddress& address, std::uint16_t port)
        : policy_(policy), resolution_(resolution), ids_(ids), address_(address), port_(port) {}

    // The rule that names this very address and port, and no deny covers it.
    [[nodiscard]] Id exact() const {
        if (denied()) return std::nullopt;
        return lowest([this](const Rule& rule) {
            return names_address(rule) && has_item(rule, [this](const PortRange& r) {
                       return r.first == r.last && r.first == port_;
                   });
        });
    }
    // A rule for a network, or for a range of this address's ports.
    [[nodiscard]] Id broad() const {
        return lowest([this](const Rule& rule) { return broadly(rule, port_); });
    }
    [[nodiscard]] Id own_deny() const { return deny_of(address_, port_); }
    [[nodiscard]] Id denied() const {
        if (const auto own = own_deny()) return own;
        const auto inner = embedded_v4(address_);
        return inner ? deny_of(*inner, port_) : std::nullopt;
    }
    // Some rule names this very address, whatever the port.
    [[nodiscard]] bool marked() const {
        return std::ranges::any_of(policy_.rules,
                                   [this](const Rule& rule) { return names_address(rule); });
    }
    // Some port of this address is granted by broad() rules. A granted stretch can only begin where
    // a range begins or where a deny ends.
    [[nodiscard]] bool grants_broadly() const {
        std::vector<std::uint16_t> starts;
        for (const auto& rule : policy_.rules)
            for (const auto& r : rule.endpoint.ports.ranges()) starts.push_back(r.first);
        for (const auto& entry : policy_.denies)
            for (const auto& r : entry.ports.ranges())
                starts.push_back(static_cast<std::uint16_t>(r.last + 1));
        for (const auto& rule : policy_.rules)  // a lifted stretch begins with its own range
            for (const auto& r : rule.endpoint.ports.ranges())
                starts.push_back(static_cast<std::uint16_t>(r.last + 1));
        return std::ranges::any_of(starts, [this](std::uint16_t port) {
            return port != 0 && !deny_of(address_, port) &&
                   std::ranges::any_of(policy_.rules, [this, port](const Rule& rule) {
                       return broadly(rule, port);
                   });
        });
    }

  private:
    template <class F>
    Id lowest(F&& matches) const {
        Id best;
        for (const auto& rule : policy_.rules) {
            if (!matches(rule)) continue;
            const auto id = ids_.find(rule_key(rule.text(), rule.via)).value;
            if (!best || id < *best) best = id;
        }
        return best;
    }
    template <class F>
    static bool has_item(const Rule& rule, F&& matches) {
        return std::ranges::any_of(rule.endpoint.ports.ranges(), matches);
    }
    [[nodiscard]] bool names_address(const Rule& rule) const {
        if (rule.via != Via::kKernel) return false;
        if (const auto* prefix = std::get_if<IpPrefix>(&rule.endpoint.host))
            return prefix->is_single() && canonical_destination(prefix->base) == address_;
        const auto* name = std::get_if<DnsName>(&rule.endpoint.host);
        if (!name) return false;
        return std::ranges::binary_search(usable_addresses(policy_, resolution_, *name).addresses,
                                          address_);
    }
    [[nodiscard]] bool broadly(const Rule& rule, std::uint16_t port) const {
        const bool holds = has_item(
            rule, [port](const PortRange& r) { return port >= r.first && port <= r.last; });
        if (!holds || rule.via != Via::kKernel) return false;
        const auto* prefix = std::get_if<IpPrefix>(&rule.endpoint.host);
        if (prefix && !prefix->is_single()) return prefix->contains(address_);
        return names_address(rule) && has_item(rule, [port](const PortRange& r) {
                   return r.first != r.last && port >= r.first && port <= r.last;
               });
    }
    // A baseline rule that names the address takes this port out of the builtin denies.
    [[nodiscard]] bool lifted(const IpAddress& address, std::uint16_t port) const {
        return std::ranges::any_of(policy_.rules, [&](const Rule& rule) {
            const auto* prefix = std::get_if<IpPrefix>(&rule.endpoint.host);
            return prefix && prefix->is_single() && rule.via == Via::kKernel &&
                   canonical_destination(prefix->base) == address &&
                   rule.endpoint.ports.contains(port) &&
                   std::ranges::any_of(rule.sources,
                                       [](const Source& s) { return s.layer == Layer::kBaseline; });
        });
    }
    // The most specific entry, the first of several such.
    [[nodiscard]] Id deny_of(const IpAddress& address, std::uint16_t port) const {
        const DenyEntry* best = nullptr;
        for (const auto& entry : policy_.denies) {
            if (!entry.prefix.contains(address) || !entry.ports.contains(port)) continue;
            if (entry.source.layer == Layer::kBuiltin && lifted(address, port)) continue;
            if (!best || entry.prefix.length > best->prefix.length) best = &entry;
        }
        if (!best) return std::nullopt;
        return ids_.find(deny_key(best->text())).value;
    }

    const Policy& policy_;
    const Resolution& resolution_;
    const RuleIds& ids_;
    const IpAddress& address_;
    std::uint16_t port_;
};

sluice_verdict decide_tcp(const Asked& asked, bool loopback, bool open, std::uint8_t listener) {
    if (const auto id = asked.exact()) return allow(SLUICE_REASON_RULE, *id);
    if (const auto id = asked.denied()) return deny(SLUICE_REASON_HOST_DENY, *id);
    if (const auto id = asked.broad()) return allow(SLUICE_REASON_RULE, *id);
    if (loopback) {
        if (listener == SLUICE_LISTENER_OWN) return allow(SLUICE_REASON_OWN_LISTENER);
        if (open) return allow(SLUICE_REASON_OPEN_MODE);
        return deny(listener == SLUICE_LISTENER_OTHER ? SLUICE_REASON_LOOPBACK_SERVICE
                                                      : SLUICE_REASON_NO_LISTENER);
    }
    if (open) return allow(SLUICE_REASON_OPEN_MODE);
    const bool known = asked.marked() || asked.grants_broadly();
    return deny(known ? SLUICE_REASON_WRONG_PORT : SLUICE_REASON_NO_RULE);
}

sluice_verdict decide_udp_loopback(bool open, bool dns, const sluice_query& query) {
    if (query.op == SLUICE_OP_CONNECT) return allow(SLUICE_REASON_ADDRESS_SORT);
    if (query.op == SLUICE_OP_SEND) return allow(SLUICE_REASON_TO_EGRESS);
    if (query.listener == SLUICE_LISTENER_OWN) return allow(SLUICE_REASON_OWN_LISTENER);
    if (open) return allow(SLUICE_REASON_OPEN_MODE);
    return deny(dns ? SLUICE_REASON_DNS : SLUICE_REASON_UDP);
}

sluice_verdict decide_udp(const Asked& asked, bool open, bool dns, const sluice_query& query) {
    if (open) {
        if (const auto id = asked.denied()) return deny(SLUICE_REASON_HOST_DENY, *id);
        return allow(SLUICE_REASON_OPEN_MODE);
    }
    if (dns) return deny(SLUICE_REASON_DNS);
    const bool known = asked.marked() || asked.grants_broadly();
    if (query.op == SLUICE_OP_CONNECT && known) return allow(SLUICE_REASON_ADDRESS_SORT);
    return deny(SLUICE_REASON_UDP);
}

}  // namespace

sluice_verdict decide(const Policy& policy, const Resolution& resolution, const RuleIds& ids,
                      const sluice_query& query) {
    if (!policy.enabled) return deny(SLUICE_REASON_DISABLED);
    const std::uint16_t port = ntohs(query.port_be);
    const bool udp = query.proto == IPPROTO_UDP;
    if (port == 0 && !(udp && query.op == SLUICE_OP_CONNECT)) return deny(SLUICE_REASON_PORT_ZERO);
    const IpAddress address = canonical_destination(IpAddress::from_v6_bytes(query.addr));
    const Asked asked(policy, resolution, ids, address, port);
    const bool loopback = address.is_loopback(), open = policy.mode == Mode::kOpen;
    const bool dns = port == 53;
    if (query.proto == IPPROTO_TCP) return decide_tcp(asked, loopback, open, query.listener);
    if (!udp) return deny(SLUICE_REASON_SOCKET_TYPE);
    if (loopback) return decide_udp_loopback(open, dns, query);
    return decide_udp(asked, open, dns, query);
}

}  // namespace sluice
