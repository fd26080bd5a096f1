/* SPDX-License-Identifier: GPL-2.0 */
/* What the packet hook needs to know of a packet, read from its headers. */
#ifndef SLUICE_PACKET_H
#define SLUICE_PACKET_H

#include "hook.h"

struct packet {
    struct question q;
    union address from;
    __u16 from_port_be;
    __u32 payload; /* offset of the TCP, UDP or ICMPv6 header */
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

#endif
