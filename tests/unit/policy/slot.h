// A Plan looked up the way the kernel does: exact hash, then longest prefix, then its ranges.
// Written from bpf/include/sluice/abi.h alone, and by scanning, so that it shares nothing with
// plan().
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "policy/plan.h"

namespace sluice::test {

class Slot {
  public:
    explicit Slot(const Plan& plan);
    [[nodiscard]] sluice_verdict decide(const sluice_query& query) const;

  private:
    struct Prefixes {
        std::uint32_t rule_id = 0;  // with SLUICE_RANGE_DENY; 0: the port is in no range
        bool grants = false;
        [[nodiscard]] std::uint32_t denied() const;
    };
    [[nodiscard]] std::uint32_t exact(const IpAddress& address, std::uint16_t port) const;
    [[nodiscard]] bool marked(const IpAddress& address) const;
    [[nodiscard]] Prefixes longest(const IpAddress& address, std::uint16_t port) const;
    [[nodiscard]] sluice_verdict tcp(const IpAddress& address, std::uint16_t port,
                                     std::uint8_t listener) const;
    [[nodiscard]] sluice_verdict udp(const IpAddress& address, std::uint16_t port,
                                     const sluice_query& query) const;

    const Plan& plan_;
    std::map<std::pair<IpAddress, std::uint16_t>, std::uint32_t> exact_;
};

sluice_query query(const IpAddress& address, std::uint16_t port, std::uint8_t proto,
                   std::uint8_t op = SLUICE_OP_CONNECT,
                   std::uint8_t listener = SLUICE_LISTENER_NONE);
std::string show(const sluice_verdict& verdict);  // "allow rule 3", "deny host_deny 1"

}  // namespace sluice::test
