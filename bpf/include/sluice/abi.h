/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * The one contract between the BPF programs and userspace: every map's key and value, every event.
 *
 * Rules of this file: fixed-width fields, widest first, padding explicit and zero, byte order in
 * the name (`_be`), size and offsets asserted on both sides. Zero always means the safe thing: an
 * all-zero sandbox is "not configured" and denies, an all-zero range or rule grants nothing.
 *
 * Addresses are 16 bytes in network order; IPv4 is written IPv4-mapped (::ffff:a.b.c.d), so both
 * families share each map and "the same host by another spelling" is one key. A kernel address
 * (0.0.0.0, ::) that means "this host" is stored as the loopback address it stands for.
 */
#ifndef SLUICE_ABI_H
#define SLUICE_ABI_H

#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
#include <type_traits>
typedef std::uint8_t sluice_u8;
typedef std::uint16_t sluice_u16;
typedef std::uint32_t sluice_u32;
typedef std::uint64_t sluice_u64;
#define SLUICE_ASSERT(cond) static_assert(cond, #cond)
#define SLUICE_OFFSET(type, member) offsetof(struct type, member)
#else
#include <linux/types.h>
typedef __u8 sluice_u8;
typedef __u16 sluice_u16;
typedef __u32 sluice_u32;
typedef __u64 sluice_u64;
#define SLUICE_ASSERT(cond) _Static_assert(cond, #cond)
#define SLUICE_OFFSET(type, member) __builtin_offsetof(struct type, member)
#endif

/* Raised whenever a struct below, or the meaning of one of its fields, changes. */
#define SLUICE_ABI_VERSION 1

/* Capacity of the shared outer maps. A box is a sandbox; a slot is one generation of its rules. */
#define SLUICE_MAX_SLOTS 4096
#define SLUICE_MAX_BOXES 2048
/* Rules (after names became addresses) one generation may hold in its exact table. */
#define SLUICE_MAX_ENTRIES (1u << 20)
/* Distinct refused destinations remembered per sandbox; the counters beside them are exact. */
#define SLUICE_MAX_DENIALS 256
/* Events a second and CPU that one sandbox may send; the rest is counted in events_limited. */
#define SLUICE_EVENTS_PER_SECOND 64
#define SLUICE_NAME_LEN 64
#define SLUICE_COMM_LEN 16

/* Why a flow was allowed or refused. Stable numbers; the texts are in policy/reason.h. */
#define SLUICE_REASON_NOT_CONFIGURED 0 /* no policy in this sandbox yet: deny */
#define SLUICE_REASON_RULE 1           /* allowed by rule_id */
#define SLUICE_REASON_OWN_LISTENER                                                               \
    2                                /* allowed: loopback, the peer socket is this sandbox's own \
                                      */
#define SLUICE_REASON_MARKED_FLOW 3  /* allowed: packet of a connection that was allowed before */
#define SLUICE_REASON_REPLY 4        /* allowed: packet of an accepted loopback connection */
#define SLUICE_REASON_NEIGHBOUR 5    /* allowed: ICMPv6 neighbour discovery of an own namespace */
#define SLUICE_REASON_ADDRESS_SORT 6 /* allowed: UDP connect that sends nothing (RFC 6724) */
#define SLUICE_REASON_OPEN_MODE 7    /* allowed: the sandbox is in open mode, and says so */
#define SLUICE_REASON_TO_EGRESS \
    8 /* loopback datagram: the packet hook decides, it sees both ends */
#define SLUICE_FIRST_DENY_REASON 16
#define SLUICE_REASON_NO_RULE 16          /* no rule covers the address */
#define SLUICE_REASON_WRONG_PORT 17       /* a rule covers the address, none of them this port */
#define SLUICE_REASON_HOST_DENY 18        /* the host's deny list, rule_id names the entry */
#define SLUICE_REASON_LOOPBACK_SERVICE 19 /* loopback, the listener is not this sandbox's */
#define SLUICE_REASON_NO_LISTENER 20      /* loopback, nobody listens: ECONNREFUSED */
#define SLUICE_REASON_UDP 21              /* UDP carries no rules */
#define SLUICE_REASON_DNS 22              /* DNS: names of the policy only, from the hosts file */
#define SLUICE_REASON_SOCKET_TYPE 23      /* not a plain TCP or UDP socket */
#define SLUICE_REASON_PACKET 24           /* fragment, IP option, extension header, odd protocol */
#define SLUICE_REASON_INBOUND 25          /* reply to a peer beyond loopback */
#define SLUICE_REASON_DISABLED 26         /* the policy switches egress off */
#define SLUICE_REASON_PORT_ZERO 27        /* never a rule; the live probe uses it, only counted */
#define SLUICE_REASON_INTERNAL 28         /* a map look-up failed inside: deny */
#define SLUICE_REASON_COUNT 32

/* Not a verdict: decide_rules() asks who listens on this loopback port. Never recorded. */
#define SLUICE_REASON_ASK_LISTENER 31

/* Which hook decided; in events and denials. */
#define SLUICE_HOOK_CONNECT 1
#define SLUICE_HOOK_SENDMSG 2
#define SLUICE_HOOK_SOCK_CREATE 3
#define SLUICE_HOOK_EGRESS 4

/*
 * Value of the cgroup storage `sandbox`, key: cgroup id (__u64).
 * Written by the agent, whole, by one bpf_map_update_elem: that write is the switch of generation.
 * Read by every program. generation == 0: not configured, deny everything.
 */
struct sluice_sandbox {
    sluice_u64 generation;
    sluice_u64 sandbox_id; /* the cgroup id; compared with socket marks */
    sluice_u64
        min_generation; /* flows allowed by an older generation no longer pass by their mark */
    sluice_u32 slot;    /* index into rules_by_slot, prefixes_by_slot, ranges_by_slot */
    sluice_u32 box;     /* index into hits_by_box, denials_by_box */
    sluice_u32 flags;   /* SLUICE_FLAG_* */
    sluice_u32 zero;
};
#define SLUICE_FLAG_DISABLED 1u /* the policy says enabled = false: deny, reason DISABLED */
#define SLUICE_FLAG_OPEN 2u     /* audit: what no deny covers is allowed, reason OPEN_MODE */

/*
 * Key and value of a slot's exact table (inner hash of rules_by_slot).
 * Written by the agent before the switch, never after; read by the programs.
 * port_be == 0 with rule_id == 0 marks "some rule covers this address", for UDP address sorting
 * and for telling WRONG_PORT from NO_RULE. Absent: not granted here, the prefixes are asked next.
 */
struct sluice_rule_key {
    sluice_u8 addr[16];
    sluice_u16 port_be;
    sluice_u8 proto; /* IPPROTO_TCP */
    sluice_u8 zero;
};
struct sluice_rule_value {
    sluice_u32 rule_id;
};

/*
 * Key and value of a slot's longest-prefix table (inner LPM trie of prefixes_by_slot).
 * The planner flattens: the longest match alone decides, so its ranges hold what every shorter
 * prefix grants or denies too. `count` ranges start at index `first` of the slot's range table,
 * sorted by port, not overlapping; a port in none of them is not granted.
 */
struct sluice_prefix_key {
    sluice_u32 prefixlen; /* host order, 0..128; an IPv4 /n is 96+n */
    sluice_u8 addr[16];
};
struct sluice_prefix_value {
    sluice_u32 first;
    sluice_u16 count;
    sluice_u16 flags; /* SLUICE_PREFIX_* */
};
#define SLUICE_PREFIX_GRANTS 1u /* at least one of the ranges grants */

struct sluice_port_range {
    sluice_u16 first;   /* host order, inclusive */
    sluice_u16 last;    /* host order, inclusive */
    sluice_u32 rule_id; /* with SLUICE_RANGE_DENY set: the deny entry that covers it */
};
#define SLUICE_RANGE_DENY 0x80000000u

/* Value of a box's hit table (inner array of hits_by_box), index: rule_id. Atomic adds. */
struct sluice_hits {
    sluice_u64 count;
    sluice_u64 last_ns; /* CLOCK_MONOTONIC, coarse */
};

/*
 * Value of the per-CPU cgroup storage `counters`, key: cgroup id. Written by the programs only;
 * exact. Sum over CPUs. Packets that pass by a mark are not counted, refused ones are.
 */
struct sluice_counters {
    sluice_u64 by_reason[SLUICE_REASON_COUNT];
    sluice_u64 events_limited; /* events not sent because of SLUICE_EVENTS_PER_SECOND */
    sluice_u64 events_lost;    /* events not sent because the ring was full */
    sluice_u64 denials_lost;   /* denials that found no place in the box's table */
    sluice_u64 window_start_ns;
    sluice_u64 window_events;
};

/*
 * Key and value of a box's denial table (inner LRU hash of denials_by_box): what was refused, how
 * often. Written by the programs, read by the agent. comm and name are the sandbox's own bytes.
 */
struct sluice_denial_key {
    sluice_u8 addr[16];   /* zero for SOCKET_TYPE */
    sluice_u32 name_hash; /* of the DNS name asked, else 0 */
    sluice_u16 port_be;
    sluice_u8 proto;
    sluice_u8 reason;
};
struct sluice_denial {
    sluice_u64 count;
    sluice_u64 first_ns; /* CLOCK_MONOTONIC */
    sluice_u64 last_ns;
    sluice_u32 pid; /* of the last attempt: thread group, in the initial pid namespace; 0: kernel */
    sluice_u32 uid;
    sluice_u32 rule_id;         /* HOST_DENY: the entry, else 0 */
    sluice_u32 hook;            /* SLUICE_HOOK_* */
    char comm[SLUICE_COMM_LEN]; /* NUL-terminated */
    char name[SLUICE_NAME_LEN]; /* DNS: name asked, [a-z0-9._-] or '?', NUL-terminated, cut at 63 */
};

/* One record of the ring buffer `events`: a refusal as it happens. */
struct sluice_event {
    sluice_u64 time_ns; /* CLOCK_MONOTONIC */
    sluice_u64 sandbox_id;
    sluice_u64 generation;
    sluice_u64 socket_cookie; /* 0 where the hook has none */
    sluice_u64 netns_cookie;  /* 0 where the hook has none */
    struct sluice_denial_key what;
    sluice_u32 pid;
    sluice_u32 tid;
    sluice_u32 uid;
    sluice_u32 rule_id;
    sluice_u32 hook;
    sluice_u32 zero;
    char comm[SLUICE_COMM_LEN];
    char name[SLUICE_NAME_LEN];
};

/*
 * Value of the socket storage `marks`; most sockets have none. Written by the programs: post_bind
 * and listen record whose socket it is, connect records a destination that the packet hook could
 * not judge again (own listeners) or that makes a bound socket a client, the datagram hooks record
 * who sends (the packet hook may run where the current task is somebody else). An accepted socket
 * gets a copy of its listener's (BPF_F_CLONE). A zero field grants nothing.
 */
struct sluice_mark {
    sluice_u64 sandbox_id; /* whose socket this is */
    sluice_u64 generation; /* that allowed the destination below; 0: none allowed */
    sluice_u8 addr[16];
    sluice_u16 port_be;
    sluice_u8 proto;
    sluice_u8 zero;
    sluice_u32 pid; /* datagram sockets: the last sender; else 0 */
    sluice_u32 tid;
    sluice_u32 uid;
    char comm[SLUICE_COMM_LEN];
};

/* One question to decide(), as explain and the tests put it (struct sluice_ask). */
struct sluice_query {
    sluice_u8 addr[16];
    sluice_u16 port_be;
    sluice_u8 proto;    /* IPPROTO_TCP or IPPROTO_UDP */
    sluice_u8 op;       /* SLUICE_OP_* */
    sluice_u8 listener; /* SLUICE_LISTENER_*: who listens there, for loopback */
    sluice_u8 zero[3];
};
#define SLUICE_OP_CONNECT 0 /* connect(2) */
#define SLUICE_OP_SEND 1    /* an unconnected datagram */
#define SLUICE_OP_PACKET 2  /* a packet on its way out, final address */
#define SLUICE_LISTENER_NONE 0
#define SLUICE_LISTENER_OWN 1
#define SLUICE_LISTENER_OTHER 2
#define SLUICE_LISTENER_LOOK_UP 3 /* sluice_ask finds out itself */

struct sluice_verdict {
    sluice_u32 rule_id; /* RULE and HOST_DENY, else 0 */
    sluice_u8 allow;    /* 0 deny, 1 allow */
    sluice_u8 reason;   /* SLUICE_REASON_* */
    sluice_u16 zero;
};

/*
 * The one value of the array `ask`: the agent writes sandbox and query, runs the program
 * sluice_ask, reads the verdict. So what explain says is computed by the code and tables that
 * enforce.
 */
struct sluice_ask {
    struct sluice_sandbox sandbox;
    struct sluice_query query;
    struct sluice_verdict verdict;
};

SLUICE_ASSERT(sizeof(struct sluice_sandbox) == 40);
SLUICE_ASSERT(SLUICE_OFFSET(sluice_sandbox, slot) == 24);
SLUICE_ASSERT(SLUICE_OFFSET(sluice_sandbox, flags) == 32);
SLUICE_ASSERT(sizeof(struct sluice_rule_key) == 20);
SLUICE_ASSERT(SLUICE_OFFSET(sluice_rule_key, port_be) == 16);
SLUICE_ASSERT(SLUICE_OFFSET(sluice_rule_key, proto) == 18);
SLUICE_ASSERT(sizeof(struct sluice_rule_value) == 4);
SLUICE_ASSERT(sizeof(struct sluice_prefix_key) == 20);
SLUICE_ASSERT(SLUICE_OFFSET(sluice_prefix_key, addr) == 4);
SLUICE_ASSERT(sizeof(struct sluice_prefix_value) == 8);
SLUICE_ASSERT(SLUICE_OFFSET(sluice_prefix_value, count) == 4);
SLUICE_ASSERT(SLUICE_OFFSET(sluice_prefix_value, flags) == 6);
SLUICE_ASSERT(sizeof(struct sluice_port_range) == 8);
SLUICE_ASSERT(SLUICE_OFFSET(sluice_port_range, rule_id) == 4);
SLUICE_ASSERT(sizeof(struct sluice_hits) == 16);
SLUICE_ASSERT(sizeof(struct sluice_counters) == 8 * (SLUICE_REASON_COUNT + 5));
SLUICE_ASSERT(sizeof(struct sluice_denial_key) == 24);
SLUICE_ASSERT(SLUICE_OFFSET(sluice_denial_key, name_hash) == 16);
SLUICE_ASSERT(SLUICE_OFFSET(sluice_denial_key, reason) == 23);
SLUICE_ASSERT(sizeof(struct sluice_denial) == 120);
SLUICE_ASSERT(SLUICE_OFFSET(sluice_denial, comm) == 40);
SLUICE_ASSERT(SLUICE_OFFSET(sluice_denial, name) == 56);
SLUICE_ASSERT(sizeof(struct sluice_event) == 168);
SLUICE_ASSERT(SLUICE_OFFSET(sluice_event, what) == 40);
SLUICE_ASSERT(SLUICE_OFFSET(sluice_event, comm) == 88);
SLUICE_ASSERT(sizeof(struct sluice_mark) == 64);
SLUICE_ASSERT(SLUICE_OFFSET(sluice_mark, port_be) == 32);
SLUICE_ASSERT(sizeof(struct sluice_query) == 24);
SLUICE_ASSERT(sizeof(struct sluice_verdict) == 8);
SLUICE_ASSERT(sizeof(struct sluice_ask) == 72);
#ifdef __cplusplus
SLUICE_ASSERT(std::has_unique_object_representations_v<sluice_sandbox>);
SLUICE_ASSERT(std::has_unique_object_representations_v<sluice_rule_key>);
SLUICE_ASSERT(std::has_unique_object_representations_v<sluice_prefix_key>);
SLUICE_ASSERT(std::has_unique_object_representations_v<sluice_prefix_value>);
SLUICE_ASSERT(std::has_unique_object_representations_v<sluice_port_range>);
SLUICE_ASSERT(std::has_unique_object_representations_v<sluice_denial_key>);
SLUICE_ASSERT(std::has_unique_object_representations_v<sluice_denial>);
SLUICE_ASSERT(std::has_unique_object_representations_v<sluice_event>);
SLUICE_ASSERT(std::has_unique_object_representations_v<sluice_mark>);
SLUICE_ASSERT(std::has_unique_object_representations_v<sluice_query>);
SLUICE_ASSERT(std::has_unique_object_representations_v<sluice_verdict>);
#endif

#endif
