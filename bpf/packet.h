/* SPDX-License-Identifier: GPL-2.0 */
/* What the packet hook needs to know of a packet, read from its headers. */
#ifndef SLUICE_PACKET_H
#define SLUICE_PACKET_H

#include "hook.h"

#define LOOPBACK_IFINDEX 1 /* in every network namespace; net/core/dev.c, include/net/flow.h */
#define TCP_FLAGS_OFFSET 13
#define TCP_FLAG_SYN 0x02
#define TCP_FLAG_ACK 0x10

struct packet {
    struct question q;
    union address from;
    __u16 from_port_be;
    __u32 payload; /* offset of the TCP, UDP or ICMPv6 header */
    __u8 icmp_type;
    __u8 hop_limit;
    __u8 plain; /* TCP or UDP; no options, fragments or extension headers */
};

/* The header and what follows it first, so that one load reads all that is judged. */
struct ipv4_start {
    __u8 version_ihl, tos;
    __u16 total, id, fragment_be;
    __u8 ttl, protocol;
    __u16 checksum;
    __u32 saddr, daddr;
    __u16 source_be, destination_be; /* ports, where there are any */
};
struct ipv6_start {
    __u32 version_flow;
    __u16 payload_length;
    __u8 next_header, hop_limit;
    __u8 saddr[16], daddr[16];
    __u16 source_be, destination_be; /* ports, or ICMPv6's type, code and checksum */
};

static __always_inline int parse_v4(struct __sk_buff* skb, struct packet* p) {
    struct ipv4_start ip;
    if (bpf_skb_load_bytes(skb, 0, &ip, sizeof(ip))) return 0;
    address_set_v4(&p->q.addr, ip.daddr);
    address_set_v4(&p->from, ip.saddr);
    p->q.proto = ip.protocol;
    p->q.port_be = ip.destination_be;
    p->from_port_be = ip.source_be;
    p->payload = __builtin_offsetof(struct ipv4_start, source_be);
    p->plain = ip.version_ihl == 0x45 && (ip.fragment_be & bpf_htons(0x3fff)) == 0 &&
               (ip.protocol == IPPROTO_TCP || ip.protocol == IPPROTO_UDP);
    return 1;
}

static __always_inline int parse_v6(struct __sk_buff* skb, struct packet* p) {
    struct ipv6_start ip;
    if (bpf_skb_load_bytes(skb, 0, &ip, sizeof(ip))) return 0;
    __builtin_memcpy(p->q.addr.bytes, ip.daddr, 16);
    __builtin_memcpy(p->from.bytes, ip.saddr, 16);
    p->q.proto = ip.next_header;
    p->q.port_be = ip.destination_be;
    p->from_port_be = ip.source_be;
    p->payload = __builtin_offsetof(struct ipv6_start, source_be);
    p->hop_limit = ip.hop_limit;
    p->icmp_type = bpf_ntohs(ip.source_be) >> 8;
    /* A mapped address has no place on the wire (RFC 4291, 2.5.5.2) and must not pass for IPv4. */
    p->plain = (ip.next_header == IPPROTO_TCP || ip.next_header == IPPROTO_UDP) &&
               !address_is_v4(&p->q.addr);
    return 1;
}

/* 0: too short to judge. A packet that is not plain has no meaningful ports. */
static __always_inline int parse(struct __sk_buff* skb, struct packet* p) {
    p->q.op = SLUICE_OP_PACKET;
    if (skb->protocol == bpf_htons(0x0800)) return parse_v4(skb, p);
    if (skb->protocol == bpf_htons(0x86dd)) return parse_v6(skb, p);
    return 0;
}

/* Router solicitation, neighbour solicitation and advertisement; 255 proves they were not routed.
 */
static __always_inline int is_neighbour_discovery(const struct packet* p) {
    return p->q.proto == IPPROTO_ICMPV6 && !address_is_v4(&p->q.addr) && p->hop_limit == 255 &&
           (p->icmp_type == 133 || p->icmp_type == 135 || p->icmp_type == 136);
}

#endif
