/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verdict, once, for every hook. Pure: it reads the sandbox's installed slot and the question,
 * and writes nothing. userspace/policy/decide.cpp is its reference; tests/bpf compares the two.
 *
 * Who listens on a loopback port is the hook's to find out, and only when it matters:
 * decide_rules() answers ASK_LISTENER, the hook fills query.listener and asks decide_loopback().
 */
#ifndef SLUICE_DECIDE_H
#define SLUICE_DECIDE_H

#include "address.h"
#include "maps.h"

#ifndef IPPROTO_TCP
#define IPPROTO_TCP 6
#define IPPROTO_UDP 17
#endif
#define DNS_PORT 53

struct question {
    union address addr; /* canonical */
    __u16 port_be;
    __u8 proto;
    __u8 op;       /* SLUICE_OP_* */
    __u8 listener; /* SLUICE_LISTENER_*, for decide_loopback() */
};

static __always_inline struct sluice_verdict verdict(__u8 allow, __u8 reason, __u32 rule_id) {
    struct sluice_verdict v = {.rule_id = rule_id, .allow = allow, .reason = reason};
    return v;
}

/* What the longest matching prefix says about a port. */
struct prefix_answer {
    __u32 rule_id; /* with SLUICE_RANGE_DENY; 0: the port is in none of its ranges */
    __u32 grants;  /* the prefix grants some port */
};

static __always_inline struct prefix_answer ask_prefixes(__u32 slot, const union address* addr,
                                                         __u16 port) {
    struct prefix_answer answer = {};
    struct sluice_prefix_key key = {.prefixlen = 128};
    __builtin_memcpy(key.addr, addr->bytes, 16);
    void* prefixes = bpf_map_lookup_elem(&prefix_by_slot, &slot);
    void* ranges = bpf_map_lookup_elem(&ranges_by_slot, &slot);
    if (!prefixes || !ranges) return answer;
    struct sluice_prefix_value* match = bpf_map_lookup_elem(prefixes, &key);
    if (!match) return answer;
    answer.grants = match->flags & SLUICE_PREFIX_GRANTS;

    __u32 low = match->first, high = match->first + match->count;
    for (int i = 0; i < 17 && low < high; i++) { /* binary search over at most 65535 ranges */
        __u32 middle = low + (high - low) / 2;
        struct sluice_port_range* range = bpf_map_lookup_elem(ranges, &middle);
        if (!range) break;
        if (port < range->first) {
            high = middle;
        } else if (port > range->last) {
            low = middle + 1;
        } else {
            answer.rule_id = range->rule_id;
            break;
        }
    }
    return answer;
}

static __always_inline __u32 deny_of(struct prefix_answer answer) {
    return answer.rule_id & SLUICE_RANGE_DENY ? answer.rule_id & ~SLUICE_RANGE_DENY : 0;
}

/* The deny entry that covers addr:port, by its own or its embedded IPv4's spelling; 0: none. */
static __always_inline __u32 denied_by(__u32 slot, const union address* addr, __u16 port,
                                       struct prefix_answer own) {
    union address v4;
    if (deny_of(own)) return deny_of(own);
    if (!address_embedded_v4(addr, &v4)) return 0;
    return deny_of(ask_prefixes(slot, &v4, port));
}

static __always_inline struct sluice_rule_value* ask_exact(__u32 slot, const struct question* q,
                                                           __u16 port_be) {
    struct sluice_rule_key key = {.port_be = port_be, .proto = IPPROTO_TCP};
    __builtin_memcpy(key.addr, q->addr.bytes, 16);
    void* rules = bpf_map_lookup_elem(&rules_by_slot, &slot);
    return rules ? bpf_map_lookup_elem(rules, &key) : 0;
}

static __always_inline struct sluice_verdict decide_tcp(const struct sluice_sandbox* sb,
                                                        const struct question* q) {
    struct sluice_rule_value* exact = ask_exact(sb->slot, q, q->port_be);
    if (exact) return verdict(1, SLUICE_REASON_RULE, exact->rule_id);

    __u16 port = bpf_ntohs(q->port_be);
    struct prefix_answer answer = ask_prefixes(sb->slot, &q->addr, port);
    __u32 deny = denied_by(sb->slot, &q->addr, port, answer);
    if (deny) return verdict(0, SLUICE_REASON_HOST_DENY, deny);
    if (answer.rule_id) return verdict(1, SLUICE_REASON_RULE, answer.rule_id);
    if (address_is_loopback(&q->addr)) return verdict(0, SLUICE_REASON_ASK_LISTENER, 0);
    if (sb->flags & SLUICE_FLAG_OPEN) return verdict(1, SLUICE_REASON_OPEN_MODE, 0);
    if (answer.grants || ask_exact(sb->slot, q, 0)) return verdict(0, SLUICE_REASON_WRONG_PORT, 0);
    return verdict(0, SLUICE_REASON_NO_RULE, 0);
}

static __always_inline struct sluice_verdict decide_udp_open(const struct sluice_sandbox* sb,
                                                             const struct question* q) {
    __u16 port = bpf_ntohs(q->port_be);
    struct prefix_answer answer = ask_prefixes(sb->slot, &q->addr, port);
    __u32 deny = denied_by(sb->slot, &q->addr, port, answer);
    if (deny) return verdict(0, SLUICE_REASON_HOST_DENY, deny);
    return verdict(1, SLUICE_REASON_OPEN_MODE, 0);
}

/*
 * A UDP connect sends nothing. glibc and musl connect to every candidate address to sort them
 * (RFC 6724), musl also to loopback for AI_ADDRCONFIG, so these must succeed; what is then sent is
 * a packet, and refused.
 */
static __always_inline struct sluice_verdict decide_udp(const struct sluice_sandbox* sb,
                                                        const struct question* q) {
    if (address_is_loopback(&q->addr)) {
        if (q->op == SLUICE_OP_CONNECT) return verdict(1, SLUICE_REASON_ADDRESS_SORT, 0);
        if (q->op == SLUICE_OP_SEND) return verdict(1, SLUICE_REASON_TO_EGRESS, 0);
        return verdict(0, SLUICE_REASON_ASK_LISTENER, 0);
    }
    if (sb->flags & SLUICE_FLAG_OPEN) return decide_udp_open(sb, q);
    if (q->port_be == bpf_htons(DNS_PORT)) return verdict(0, SLUICE_REASON_DNS, 0);
    if (q->op == SLUICE_OP_CONNECT &&
        (ask_exact(sb->slot, q, 0) ||
         ask_prefixes(sb->slot, &q->addr, bpf_ntohs(q->port_be)).grants))
        return verdict(1, SLUICE_REASON_ADDRESS_SORT, 0);
    return verdict(0, SLUICE_REASON_UDP, 0);
}

static __always_inline struct sluice_verdict decide_rules(const struct sluice_sandbox* sb,
                                                          const struct question* q) {
    if (sb->generation == 0) return verdict(0, SLUICE_REASON_NOT_CONFIGURED, 0);
    if (sb->flags & SLUICE_FLAG_DISABLED) return verdict(0, SLUICE_REASON_DISABLED, 0);
    /* Address sorting connects UDP sockets to port 0 too; every other use of it is the probe's. */
    if (q->port_be == 0 && (q->proto != IPPROTO_UDP || q->op != SLUICE_OP_CONNECT))
        return verdict(0, SLUICE_REASON_PORT_ZERO, 0);
    if (q->proto == IPPROTO_TCP) return decide_tcp(sb, q);
    if (q->proto == IPPROTO_UDP) return decide_udp(sb, q);
    return verdict(0, SLUICE_REASON_SOCKET_TYPE, 0);
}

static __always_inline struct sluice_verdict decide_loopback(const struct sluice_sandbox* sb,
                                                             const struct question* q) {
    if (q->listener == SLUICE_LISTENER_OWN) return verdict(1, SLUICE_REASON_OWN_LISTENER, 0);
    if (sb->flags & SLUICE_FLAG_OPEN) return verdict(1, SLUICE_REASON_OPEN_MODE, 0);
    if (q->proto == IPPROTO_UDP)
        return verdict(0, q->port_be == bpf_htons(DNS_PORT) ? SLUICE_REASON_DNS : SLUICE_REASON_UDP,
                       0);
    if (q->listener == SLUICE_LISTENER_NONE) return verdict(0, SLUICE_REASON_NO_LISTENER, 0);
    return verdict(0, SLUICE_REASON_LOOPBACK_SERVICE, 0);
}

#endif
