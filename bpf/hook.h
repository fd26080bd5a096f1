/* SPDX-License-Identifier: GPL-2.0 */
/* What every hook file starts from. */
#ifndef SLUICE_HOOK_H
#define SLUICE_HOOK_H

#include "mark.h"
#include "record.h"

/* From <linux/in.h>, <linux/net.h> and <asm/errno.h>, which do not mix with BPF's headers. */
#define IPPROTO_ICMPV6 58
#define IPPROTO_MPTCP 262
#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define ECONNREFUSED 111

/* MPTCP is TCP to the rules; what does not fit a byte is no protocol of theirs. */
static __always_inline __u8 plain_protocol(__u32 protocol) {
    if (protocol == IPPROTO_MPTCP) return IPPROTO_TCP;
    return protocol > 255 ? 255 : protocol;
}

/* The question that a connect4 or sendmsg4 hook is asked; IPv4-mapped in abi.h's way. */
static __always_inline struct question question_v4(struct bpf_sock_addr* ctx, __u8 op) {
    struct question q = {.op = op};
    address_set_v4(&q.addr, ctx->user_ip4);
    address_canonicalise(&q.addr);
    q.port_be = ctx->user_port;
    q.proto = plain_protocol(ctx->protocol);
    return q;
}

static __always_inline struct question question_v6(struct bpf_sock_addr* ctx, __u8 op) {
    struct question q = {.op = op};
    q.addr.be32[0] = ctx->user_ip6[0];
    q.addr.be32[1] = ctx->user_ip6[1];
    q.addr.be32[2] = ctx->user_ip6[2];
    q.addr.be32[3] = ctx->user_ip6[3];
    address_canonicalise(&q.addr);
    q.port_be = ctx->user_port;
    q.proto = plain_protocol(ctx->protocol);
    return q;
}

#endif
