// The reference of the kernel's verdict, from the policy itself and not from the planned tables.
// Tests compare it with bpf/decide.h on the case table and on random policies.
#pragma once

#include <sluice/abi.h>

#include "policy/plan.h"
#include "policy/policy.h"
#include "policy/resolution.h"

namespace sluice {

// The order, first match decides. "Deny at port" is a deny entry that covers address and port.
//
//   the policy says enabled = false                    deny DISABLED
//   port 0, but for a UDP connect                      deny PORT_ZERO
//   TCP, any op
//     a rule for this very address and single port,
//       no deny at port (own or embedded IPv4)         allow RULE
//     deny at port, of it or of the IPv4 that NAT64
//       or 6to4 embeds in it                           deny HOST_DENY
//     a rule for a network, or a range of ports        allow RULE
//     loopback: own listener                           allow OWN_LISTENER
//               open mode                              allow OPEN_MODE
//               another's listener; none               deny LOOPBACK_SERVICE; NO_LISTENER
//     open mode                                        allow OPEN_MODE
//     a rule grants another port of it                 deny WRONG_PORT, else NO_RULE
//   UDP, loopback
//     connect, send                                    allow ADDRESS_SORT, TO_EGRESS
//     packet: own listener; open mode                  allow OWN_LISTENER; OPEN_MODE
//             port 53                                  deny DNS, else UDP
//   UDP, elsewhere
//     open mode: deny at port                          deny HOST_DENY, else allow OPEN_MODE
//     port 53                                          deny DNS
//     connect, a rule grants any TCP port of it        allow ADDRESS_SORT
//     else                                             deny UDP
//   another protocol                                   deny SOCKET_TYPE
//
// NOT_CONFIGURED has no place here: a sandbox without a policy is the kernel side's affair.
//
// Addresses in `query` are canonicalised here as the kernel does (canonical_destination).
// `ids` must be the one the plan was made with; rules it never saw get rule_id 0.
sluice_verdict decide(const Policy& policy, const Resolution& resolution, const RuleIds& ids,
                      const sluice_query& query);

}  // namespace sluice
