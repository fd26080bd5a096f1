// The verdict's case table: one policy, and what it answers to each question. The test of the
// kernel side may run the same rows.
#pragma once

#include <netinet/in.h>
#include <sluice/abi.h>

namespace sluice::test {

// baseline: static_tcp, deny. project: static_tcp. The resolution is written as NAME ADDRESS.
inline constexpr const char* kBaselineRules[] = {"169.254.169.254:80"};
inline constexpr const char* kDenies[] = {"10.9.0.0/16:*", "203.0.113.0/24:25", "127.0.0.66:*"};
inline constexpr const char* kProjectRules[] = {
    "192.0.2.1:443",          // one address, one port
    "192.0.2.2:8000-8100",    // one address, a range
    "10.0.0.0/8:22",          // a network, partly denied
    "10.1.0.0/16:1000-2000",  // nested in it
    "203.0.113.5:25,443",     // one of its ports denied
    "169.254.169.254:8080",   // denied, opened on another port by the baseline
    "127.0.0.1:11434",        // a loopback literal
    "[2001:db8::]/32:443",    //
    "[64:ff9b::]/96:443",     // NAT64, whose IPv4 may be denied
    "name.example:5432",      // resolved below
};
inline constexpr const char* kName = "name.example";
inline constexpr const char* kNameAddresses[] = {"198.51.100.7", "2001:db8:7::7", "10.0.0.3"};

struct Case {
    const char* address;
    unsigned short port;
    unsigned char proto, op, listener;
    bool open;  // the sandbox is in open mode
    bool allow;
    unsigned char reason;
    const char* rule;  // the rule's or deny entry's text; null: rule_id 0
};

inline constexpr unsigned char kTcp = IPPROTO_TCP, kUdp = IPPROTO_UDP;
inline constexpr unsigned char kConnect = SLUICE_OP_CONNECT, kSend = SLUICE_OP_SEND,
                               kPacket = SLUICE_OP_PACKET;
inline constexpr unsigned char kNobody = SLUICE_LISTENER_NONE, kOwn = SLUICE_LISTENER_OWN,
                               kOther = SLUICE_LISTENER_OTHER;

// clang-format off
inline constexpr Case kCases[] = {
    // address             port  proto op       listener open   allow  reason                          rule
    {"192.0.2.1",           443, kTcp, kConnect, kNobody, false, true,  SLUICE_REASON_RULE,             "192.0.2.1:443"},
    {"192.0.2.1",           443, kTcp, kPacket,  kNobody, false, true,  SLUICE_REASON_RULE,             "192.0.2.1:443"},
    {"192.0.2.1",            80, kTcp, kConnect, kNobody, false, false, SLUICE_REASON_WRONG_PORT,       nullptr},
    {"192.0.2.1",             0, kTcp, kConnect, kNobody, false, false, SLUICE_REASON_PORT_ZERO,        nullptr},
    {"192.0.2.9",           443, kTcp, kConnect, kNobody, false, false, SLUICE_REASON_NO_RULE,          nullptr},
    {"192.0.2.9",           443, kTcp, kConnect, kNobody, true,  true,  SLUICE_REASON_OPEN_MODE,        nullptr},
    {"192.0.2.2",          8050, kTcp, kConnect, kNobody, false, true,  SLUICE_REASON_RULE,             "192.0.2.2:8000-8100"},
    {"192.0.2.2",          8101, kTcp, kConnect, kNobody, false, false, SLUICE_REASON_WRONG_PORT,       nullptr},
    // networks: the longer one inherits
    {"10.2.0.1",             22, kTcp, kConnect, kNobody, false, true,  SLUICE_REASON_RULE,             "10.0.0.0/8:22"},
    {"10.1.0.1",             22, kTcp, kConnect, kNobody, false, true,  SLUICE_REASON_RULE,             "10.0.0.0/8:22"},
    {"10.1.0.1",           1500, kTcp, kConnect, kNobody, false, true,  SLUICE_REASON_RULE,             "10.1.0.0/16:1000-2000"},
    {"10.2.0.1",           1500, kTcp, kConnect, kNobody, false, false, SLUICE_REASON_WRONG_PORT,       nullptr},
    {"::ffff:10.2.0.1",      22, kTcp, kConnect, kNobody, false, true,  SLUICE_REASON_RULE,             "10.0.0.0/8:22"},
    {"2001:db8:1::1",       443, kTcp, kConnect, kNobody, false, true,  SLUICE_REASON_RULE,             "[2001:db8::]/32:443"},
    {"2001:db9::1",         443, kTcp, kConnect, kNobody, false, false, SLUICE_REASON_NO_RULE,          nullptr},
    // denies win
    {"10.9.0.1",             22, kTcp, kConnect, kNobody, false, false, SLUICE_REASON_HOST_DENY,        "10.9.0.0/16:*"},
    {"10.9.0.1",             22, kTcp, kConnect, kNobody, true,  false, SLUICE_REASON_HOST_DENY,        "10.9.0.0/16:*"},
    {"203.0.113.5",          25, kTcp, kConnect, kNobody, false, false, SLUICE_REASON_HOST_DENY,        "203.0.113.0/24:25"},
    {"203.0.113.5",         443, kTcp, kConnect, kNobody, false, true,  SLUICE_REASON_RULE,             "203.0.113.5:25,443"},
    {"203.0.113.9",         443, kTcp, kConnect, kNobody, false, false, SLUICE_REASON_NO_RULE,          nullptr},
    {"169.254.169.254",      80, kTcp, kConnect, kNobody, false, true,  SLUICE_REASON_RULE,             "169.254.169.254:80"},
    {"169.254.169.254",    8080, kTcp, kConnect, kNobody, false, false, SLUICE_REASON_HOST_DENY,        "169.254.169.254:*"},
    {"169.254.0.1",          80, kTcp, kConnect, kNobody, true,  false, SLUICE_REASON_HOST_DENY,        "169.254.0.0/16:*"},
    {"64:ff9b::808:808",    443, kTcp, kConnect, kNobody, false, true,  SLUICE_REASON_RULE,             "[64:ff9b::]/96:443"},
    {"64:ff9b::a09:1",      443, kTcp, kConnect, kNobody, false, false, SLUICE_REASON_HOST_DENY,        "10.9.0.0/16:*"},
    {"64:ff9b::a09:1",       80, kTcp, kConnect, kNobody, false, false, SLUICE_REASON_HOST_DENY,        "10.9.0.0/16:*"},
    {"2002:a09:1::1",        80, kTcp, kConnect, kNobody, true,  false, SLUICE_REASON_HOST_DENY,        "10.9.0.0/16:*"},
    // names: the private address is not allowed by the name, only by the network's own port
    {"198.51.100.7",       5432, kTcp, kConnect, kNobody, false, true,  SLUICE_REASON_RULE,             "name.example:5432"},
    {"2001:db8:7::7",      5432, kTcp, kConnect, kNobody, false, true,  SLUICE_REASON_RULE,             "name.example:5432"},
    {"2001:db8:7::7",       443, kTcp, kConnect, kNobody, false, true,  SLUICE_REASON_RULE,             "[2001:db8::]/32:443"},
    {"10.0.0.3",           5432, kTcp, kConnect, kNobody, false, false, SLUICE_REASON_WRONG_PORT,       nullptr},
    // loopback
    {"127.0.0.1",         11434, kTcp, kConnect, kOther,  false, true,  SLUICE_REASON_RULE,             "127.0.0.1:11434"},
    {"0.0.0.0",           11434, kTcp, kConnect, kOther,  false, true,  SLUICE_REASON_RULE,             "127.0.0.1:11434"},
    {"127.0.0.1",          8080, kTcp, kConnect, kOwn,    false, true,  SLUICE_REASON_OWN_LISTENER,     nullptr},
    {"127.0.0.1",          8080, kTcp, kConnect, kOther,  false, false, SLUICE_REASON_LOOPBACK_SERVICE, nullptr},
    {"127.0.0.1",          8080, kTcp, kConnect, kNobody, false, false, SLUICE_REASON_NO_LISTENER,      nullptr},
    {"127.0.0.1",          8080, kTcp, kConnect, kOwn,    true,  true,  SLUICE_REASON_OWN_LISTENER,     nullptr},
    {"127.0.0.1",          8080, kTcp, kConnect, kOther,  true,  true,  SLUICE_REASON_OPEN_MODE,        nullptr},
    {"127.0.0.66",         8080, kTcp, kConnect, kOwn,    false, false, SLUICE_REASON_HOST_DENY,        "127.0.0.66:*"},
    {"::",                 8080, kTcp, kConnect, kOther,  false, false, SLUICE_REASON_LOOPBACK_SERVICE, nullptr},
    // UDP connect sends nothing
    {"192.0.2.1",             9, kUdp, kConnect, kNobody, false, true,  SLUICE_REASON_ADDRESS_SORT,     nullptr},
    {"10.2.0.1",              9, kUdp, kConnect, kNobody, false, true,  SLUICE_REASON_ADDRESS_SORT,     nullptr},
    {"127.0.0.1",         65535, kUdp, kConnect, kOther,  false, true,  SLUICE_REASON_ADDRESS_SORT,     nullptr},
    {"192.0.2.9",             9, kUdp, kConnect, kNobody, false, false, SLUICE_REASON_UDP,              nullptr},
    {"192.0.2.1",            53, kUdp, kConnect, kNobody, false, false, SLUICE_REASON_DNS,              nullptr},
    {"192.0.2.9",             9, kUdp, kConnect, kNobody, true,  true,  SLUICE_REASON_OPEN_MODE,        nullptr},
    {"169.254.0.1",           9, kUdp, kConnect, kNobody, true,  false, SLUICE_REASON_HOST_DENY,        "169.254.0.0/16:*"},
    {"169.254.0.1",           9, kUdp, kConnect, kNobody, false, false, SLUICE_REASON_UDP,              nullptr},
    {"192.0.2.1",             0, kUdp, kConnect, kNobody, false, true,  SLUICE_REASON_ADDRESS_SORT,     nullptr},
    {"192.0.2.9",             0, kUdp, kConnect, kNobody, false, false, SLUICE_REASON_UDP,              nullptr},
    {"192.0.2.9",            53, kUdp, kConnect, kNobody, true,  true,  SLUICE_REASON_OPEN_MODE,        nullptr},
    {"64:ff9b::a09:1",        9, kUdp, kConnect, kNobody, true,  false, SLUICE_REASON_HOST_DENY,        "10.9.0.0/16:*"},
    // UDP that sends
    {"192.0.2.1",             0, kUdp, kSend,    kNobody, false, false, SLUICE_REASON_PORT_ZERO,        nullptr},
    {"192.0.2.1",           443, kUdp, kPacket,  kNobody, false, false, SLUICE_REASON_UDP,              nullptr},
    {"192.0.2.1",           443, kUdp, kSend,    kNobody, false, false, SLUICE_REASON_UDP,              nullptr},
    {"192.0.2.9",            53, kUdp, kSend,    kNobody, false, false, SLUICE_REASON_DNS,              nullptr},
    {"192.0.2.9",            53, kUdp, kPacket,  kNobody, true,  true,  SLUICE_REASON_OPEN_MODE,        nullptr},
    {"10.9.0.1",             53, kUdp, kPacket,  kNobody, true,  false, SLUICE_REASON_HOST_DENY,        "10.9.0.0/16:*"},
    {"127.0.0.1",          7000, kUdp, kPacket,  kOwn,    false, true,  SLUICE_REASON_OWN_LISTENER,     nullptr},
    {"127.0.0.1",          7000, kUdp, kPacket,  kOther,  false, false, SLUICE_REASON_UDP,              nullptr},
    {"127.0.0.1",            53, kUdp, kPacket,  kOther,  false, false, SLUICE_REASON_DNS,              nullptr},
    {"127.0.0.1",            53, kUdp, kSend,    kOther,  false, true,  SLUICE_REASON_TO_EGRESS,        nullptr},
    {"127.0.0.1",          7000, kUdp, kSend,    kOther,  false, true,  SLUICE_REASON_TO_EGRESS,        nullptr},
    {"127.0.0.1",          7000, kUdp, kPacket,  kOther,  true,  true,  SLUICE_REASON_OPEN_MODE,        nullptr},
    {"127.0.0.1",            53, kUdp, kPacket,  kOwn,    false, true,  SLUICE_REASON_OWN_LISTENER,     nullptr},
};
// clang-format on

}  // namespace sluice::test
