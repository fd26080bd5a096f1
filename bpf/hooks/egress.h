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
#include "../dns_name.h"
#include "../hook.h"
#include "../packet.h"

static __always_inline int same_destination(const struct sluice_mark* mark,
                                            const struct question* q) {
    union address allowed;
    __builtin_memcpy(allowed.bytes, mark->addr, 16);
    return allowed.be64[0] == q->addr.be64[0] && allowed.be64[1] == q->addr.be64[1] &&
           mark->port_be == q->port_be && mark->proto == q->proto;
}

/* A marked socket that never connected and yet sends TCP: it accepted, or listens. */
static __always_inline int is_inbound(const struct sluice_mark* mark, const struct question* q) {
    return q->proto == IPPROTO_TCP && mark->generation == 0;
}

/* A mark speaks for a flow that exists. A SYN begins one, and its listener may be another by now.
 */
static __always_inline int begins_flow(struct __sk_buff* skb, const struct packet* p) {
    __u8 flags = 0;
    if (p->q.proto != IPPROTO_TCP) return 0;
    if (bpf_skb_load_bytes(skb, p->payload + TCP_FLAGS_OFFSET, &flags, 1)) return 1;
    return (flags & (TCP_FLAG_SYN | TCP_FLAG_ACK)) == TCP_FLAG_SYN;
}

static __always_inline int passes_by_mark(struct __sk_buff* skb, const struct sluice_sandbox* sb,
                                          const struct sluice_mark* mark, const struct packet* p,
                                          struct sluice_verdict* v) {
    if (!sb->generation || sb->flags & SLUICE_FLAG_DISABLED) return 0;
    if (mark->generation && mark->generation >= sb->min_generation &&
        same_destination(mark, &p->q) && !begins_flow(skb, p))
        *v = verdict(1, SLUICE_REASON_MARKED_FLOW, 0);
    else if (is_inbound(mark, &p->q) && address_is_loopback(&p->q.addr))
        *v = verdict(1, SLUICE_REASON_REPLY, 0);
    else
        return 0;
    return 1;
}

static __always_inline struct sluice_verdict packet_verdict(struct __sk_buff* skb,
                                                            const struct sluice_sandbox* sb,
                                                            const struct sluice_mark* mark,
                                                            struct packet* p) {
    struct question* q = &p->q;
    struct sluice_verdict v;
    /* SO_BINDTODEVICE and IP_PKTINFO send "loopback" packets out of any device. */
    if (address_is_loopback(&q->addr) && skb->ifindex != LOOPBACK_IFINDEX)
        return verdict(0, SLUICE_REASON_PACKET, 0);
    if (mark && mark->sandbox_id != sb->sandbox_id) mark = 0;
    if (mark && passes_by_mark(skb, sb, mark, p, &v)) return v;
    v = decide_rules(sb, q);
    if (v.reason == SLUICE_REASON_ASK_LISTENER) {
        q->listener = listener_owner(skb, sb, q, &p->from, p->from_port_be);
        v = decide_loopback(sb, q);
    }
    if (!v.allow && mark && is_inbound(mark, q) &&
        (v.reason == SLUICE_REASON_NO_RULE || v.reason == SLUICE_REASON_WRONG_PORT))
        v.reason = SLUICE_REASON_INBOUND;
    return v;
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
    if (v.reason == SLUICE_REASON_DNS)
        read_dns_name(skb, p->payload + UDP_HEADER_SIZE + DNS_HEADER_SIZE, &name);
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
        if (p.plain)
            v = packet_verdict(skb, sb, mark, &p);
        else if (sb->generation && is_neighbour_discovery(&p))
            v = verdict(1, SLUICE_REASON_NEIGHBOUR, 0);
    }
    if (v.allow) return 1;
    if (!p.plain) p.q.port_be = 0;
    /* The kernel's own multicast reports of a namespace made inside: refused, but not news. */
    if (v.reason == SLUICE_REASON_PACKET && p.q.addr.bytes[0] == 0xff)
        count_reason(v.reason);
    else
        record_packet(skb, sb, mark, &p, v);
    return 0;
}
