/* SPDX-License-Identifier: GPL-2.0 */
/* The name that a DNS query asks for, made safe to print. */
#ifndef SLUICE_DNS_NAME_H
#define SLUICE_DNS_NAME_H

#include "record.h"

#define UDP_HEADER_SIZE 8
#define DNS_HEADER_SIZE 12

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

#endif
