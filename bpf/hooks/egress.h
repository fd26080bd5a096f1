/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cgroup_skb/egress, strict: the backstop for each packet of the sandbox's sockets, after the
 * namespace's own NAT, so it sees the final address. A packet passes when its socket's mark allowed
 * exactly this destination, or when the rules do. IPv4 with options or fragments, IPv6 extension
 * headers, and anything but TCP and UDP are refused. ICMPv6 neighbour discovery passes, or IPv6
 * dies in a namespace that was made inside the sandbox.
 *
 * Answers on internal failure: drop.
 */
#include "../hook.h"

struct packet {
    struct question q;
    union address from;
    __u16 from_port_be;
    __u32 payload; /* offset of what follows the UDP or TCP header's first 8 bytes */
    __u8 icmp_type;
    __u8 hop_limit;
    __u8 plain; /* no options, fragments or extension headers */
};

struct ipv4_header {
    __u8 version_ihl, tos;
    __u16 total, id, fragment_be;
    __u8 ttl, protocol;
    __u16 checksum;
    __u32 saddr, daddr;
};
struct ipv6_header {
    __u32 version_flow;
    __u16 payload_length;
    __u8 next_header, hop_limit;
    __u8 saddr[16], daddr[16];
};
struct ports {
    __u16 source_be, destination_be;
};

static __always_inline int parse_v4(struct __sk_buff* skb, struct packet* p) {
    struct ipv4_header ip;
    if (bpf_skb_load_bytes(skb, 0, &ip, sizeof(ip))) return 0;
    address_set_v4(&p->q.addr, ip.daddr);
    address_set_v4(&p->from, ip.saddr);
    p->q.proto = ip.protocol;
    p->hop_limit = ip.ttl;
    p->payload = sizeof(ip);
    p->plain = ip.version_ihl == 0x45 && (ip.fragment_be & bpf_htons(0x3fff)) == 0;
    return 1;
}

static __always_inline int parse_v6(struct __sk_buff* skb, struct packet* p) {
    struct ipv6_header ip;
    if (bpf_skb_load_bytes(skb, 0, &ip, sizeof(ip))) return 0;
    __builtin_memcpy(p->q.addr.bytes, ip.daddr, 16);
    __builtin_memcpy(p->from.bytes, ip.saddr, 16);
    p->q.proto = ip.next_header;
    p->hop_limit = ip.hop_limit;
    p->payload = sizeof(ip);
    p->plain = ip.next_header == IPPROTO_TCP || ip.next_header == IPPROTO_UDP ||
               ip.next_header == IPPROTO_ICMPV6;
    return 1;
}

static __always_inline int parse(struct __sk_buff* skb, struct packet* p) {
    p->q.op = SLUICE_OP_PACKET;
    if (skb->protocol == bpf_htons(0x0800)) {
        if (!parse_v4(skb, p)) return 0;
    } else if (skb->protocol == bpf_htons(0x86dd)) {
        if (!parse_v6(skb, p)) return 0;
    } else {
        return 0;
    }
    if (p->q.proto == IPPROTO_ICMPV6)
        return bpf_skb_load_bytes(skb, p->payload, &p->icmp_type, 1) == 0;
    if (!p->plain || (p->q.proto != IPPROTO_TCP && p->q.proto != IPPROTO_UDP)) return 1;
    struct ports ports;
    if (bpf_skb_load_bytes(skb, p->payload, &ports, sizeof(ports))) return 0;
    p->from_port_be = ports.source_be;
    p->q.port_be = ports.destination_be;
    return 1;
}

/* Router solicitation, neighbour solicitation and advertisement; 255 proves they were not routed.
 */
static __always_inline int is_neighbour_discovery(const struct packet* p) {
    return p->q.proto == IPPROTO_ICMPV6 && !address_is_v4(&p->q.addr) && p->hop_limit == 255 &&
           (p->icmp_type == 133 || p->icmp_type == 135 || p->icmp_type == 136);
}

static __always_inline int same_destination(const struct sluice_mark* mark,
                                            const struct question* q) {
    union address allowed;
    __builtin_memcpy(allowed.bytes, mark->addr, 16);
    return allowed.be64[0] == q->addr.be64[0] && allowed.be64[1] == q->addr.be64[1] &&
           mark->port_be == q->port_be && mark->proto == q->proto;
}

/* An own socket that never was allowed a destination and yet sends TCP: it accepted, or listens. */
static __always_inline int is_inbound(const struct sluice_mark* mark, const struct question* q) {
    return q->proto == IPPROTO_TCP && mark->generation == 0;
}

static __always_inline struct sluice_verdict packet_verdict(struct __sk_buff* skb,
                                                            const struct sluice_sandbox* sb,
                                                            const struct sluice_mark* mark,
                                                            struct packet* p) {
    struct question* q = &p->q;
    if (mark && mark->sandbox_id != sb->sandbox_id) mark = 0;
    if (mark && sb->generation && !(sb->flags & SLUICE_FLAG_DISABLED)) {
        if (mark->generation && mark->generation >= sb->min_generation && same_destination(mark, q))
            return verdict(1, SLUICE_REASON_MARKED_FLOW, 0);
        if (is_inbound(mark, q) && address_is_loopback(&q->addr))
            return verdict(1, SLUICE_REASON_REPLY, 0);
    }
    struct sluice_verdict v = decide_rules(sb, q);
    if (v.reason == SLUICE_REASON_ASK_LISTENER) {
        q->listener = listener_owner(skb, sb, q, &p->from, p->from_port_be);
        v = decide_loopback(sb, q);
    }
    if (!v.allow && mark && is_inbound(mark, q) &&
        (v.reason == SLUICE_REASON_NO_RULE || v.reason == SLUICE_REASON_WRONG_PORT))
        v.reason = SLUICE_REASON_INBOUND;
    return v;
}

static __always_inline char clean(__u8 c) {
    if (c >= 'A' && c <= 'Z') return c | 0x20;
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_') return c;
    return '?';
}

/*
 * The first question's name (RFC 1035, 4.1.2), made safe to print: the agent and the person who
 * reads its report never see the sandbox's raw bytes.
 */
static __always_inline void read_dns_name(struct __sk_buff* skb, __u32 offset,
                                          struct dns_name* name) {
    __u8 wire[SLUICE_NAME_LEN] = {};
    if (skb->len <= offset) return;
    __u32 size = skb->len - offset;
    if (size > sizeof(wire)) size = sizeof(wire);
    if (size < 2 || bpf_skb_load_bytes(skb, offset, wire, size)) return;
    __u32 hash = 2166136261u; /* FNV-1a */
    __u8 left = 0;
    for (int i = 0; i < SLUICE_NAME_LEN; i++) {
        char out = '.';
        if (left == 0) {
            left = wire[i];
            if (left == 0 || left > 63) break;
            if (i == 0) continue;
        } else {
            left--;
            out = clean(wire[i]);
        }
        name->text[(i - 1) & (SLUICE_NAME_LEN - 1)] = out;
        hash = (hash ^ (__u8)out) * 16777619u;
    }
    name->text[SLUICE_NAME_LEN - 1] = 0;
    name->hash = hash ? hash : 1;
}

static __always_inline void record_packet(struct __sk_buff* skb, const struct sluice_sandbox* sb,
                                          const struct sluice_mark* mark, const struct packet* p,
                                          struct sluice_verdict v) {
    struct actor who = {};
    struct dns_name name = {};
    if (mark && mark->sandbox_id == sb->sandbox_id) {
        who.pid = mark->pid;
        who.tid = mark->tid;
        who.uid = mark->uid;
        __builtin_memcpy(who.comm, mark->comm, SLUICE_COMM_LEN);
    }
    if (v.reason == SLUICE_REASON_DNS) read_dns_name(skb, p->payload + 8 + 12, &name);
    /* bpf_get_netns_cookie is for packet programs only since 6.6. */
    record_denial(sb, &p->q, &who, &name, v, SLUICE_HOOK_EGRESS, bpf_get_socket_cookie(skb), 0);
}

SEC("cgroup_skb/egress")
int sluice_egress(struct __sk_buff* skb) {
    struct sluice_sandbox* sb = bpf_get_local_storage(&sandbox, 0);
    struct packet p = {};
    struct sluice_verdict v = verdict(0, SLUICE_REASON_PACKET, 0);
    struct bpf_sock* sk = skb->sk;
    struct sluice_mark* mark = 0;
    if (sk) sk = bpf_sk_fullsock(sk);
    if (sk) mark = bpf_sk_storage_get(&marks, sk, 0, 0);

    if (parse(skb, &p)) {
        if (p.plain && (p.q.proto == IPPROTO_TCP || p.q.proto == IPPROTO_UDP))
            v = packet_verdict(skb, sb, mark, &p);
        else if (sb->generation && is_neighbour_discovery(&p))
            v = verdict(1, SLUICE_REASON_NEIGHBOUR, 0);
    }
    if (v.allow) return 1;
    /* The kernel's own multicast reports of a namespace made inside: refused, but not news. */
    if (v.reason == SLUICE_REASON_PACKET && p.q.addr.bytes[0] == 0xff)
        count_reason(v.reason);
    else
        record_packet(skb, sb, mark, &p, v);
    return 0;
}
