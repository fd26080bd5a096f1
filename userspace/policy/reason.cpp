#include "policy/reason.h"

#include <sluice/abi.h>

#include <array>

namespace sluice {
namespace {

struct Entry {
    std::string_view id = "unknown";
    std::string_view text = "a reason this version does not know";
};

constexpr auto kTable = [] {
    std::array<Entry, SLUICE_REASON_COUNT> t{};
    t[SLUICE_REASON_NOT_CONFIGURED] = {"not_configured", "the sandbox has no policy yet"};
    t[SLUICE_REASON_RULE] = {"rule", "a rule allows it"};
    t[SLUICE_REASON_OWN_LISTENER] = {"own_listener", "the sandbox's own service on loopback"};
    t[SLUICE_REASON_MARKED_FLOW] = {"marked_flow", "packet of a connection that was allowed"};
    t[SLUICE_REASON_REPLY] = {"reply", "packet of an accepted loopback connection"};
    t[SLUICE_REASON_NEIGHBOUR] = {"neighbour", "IPv6 neighbour discovery"};
    t[SLUICE_REASON_ADDRESS_SORT] = {"address_sort", "UDP connect that sends nothing"};
    t[SLUICE_REASON_OPEN_MODE] = {"open_mode", "the sandbox is in open mode: allowed and recorded"};
    t[SLUICE_REASON_TO_EGRESS] = {"to_egress", "decided packet by packet"};
    t[SLUICE_REASON_NO_RULE] = {"no_rule", "no rule covers it"};
    t[SLUICE_REASON_WRONG_PORT] = {"wrong_port", "the host is allowed, on another port"};
    t[SLUICE_REASON_HOST_DENY] = {"host_deny", "this host denies it to every sandbox"};
    t[SLUICE_REASON_LOOPBACK_SERVICE] = {"loopback_service",
                                         "loopback, but the service is not this sandbox's own"};
    t[SLUICE_REASON_NO_LISTENER] = {"no_listener", "nothing listens there"};
    t[SLUICE_REASON_UDP] = {"udp", "rules are for TCP; UDP is refused"};
    t[SLUICE_REASON_DNS] = {"dns", "DNS: only the policy's names resolve, from the hosts file"};
    t[SLUICE_REASON_SOCKET_TYPE] = {"socket_type", "not a plain TCP or UDP socket"};
    t[SLUICE_REASON_PACKET] = {"packet",
                               "a fragment, IP option, extension header or other protocol"};
    t[SLUICE_REASON_INBOUND] = {"inbound", "answer to a peer beyond loopback"};
    t[SLUICE_REASON_DISABLED] = {"disabled", "the policy switches egress off"};
    t[SLUICE_REASON_PORT_ZERO] = {"port_zero", "port 0 is never allowed"};
    t[SLUICE_REASON_INTERNAL] = {"internal", "a look-up failed in the kernel"};
    return t;
}();

constexpr Entry kUnknown{};

const Entry& entry(std::uint8_t reason) {
    return reason < kTable.size() ? kTable[reason] : kUnknown;
}

}  // namespace

std::string_view reason_id(std::uint8_t reason) {
    return entry(reason).id;
}
std::string_view reason_text(std::uint8_t reason) {
    return entry(reason).text;
}

bool is_denial(std::uint8_t reason) {
    return reason == SLUICE_REASON_NOT_CONFIGURED || reason >= SLUICE_FIRST_DENY_REASON;
}

}  // namespace sluice
