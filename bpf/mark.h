/* SPDX-License-Identifier: GPL-2.0 */
/* Socket marks: whose socket is this, and which destination was it allowed. */
#ifndef SLUICE_MARK_H
#define SLUICE_MARK_H

#include "decide.h"

/* The socket's mark, made and claimed for this sandbox when it has none. NULL: no memory. */
#define MARK_OF(sk) bpf_sk_storage_get(&marks, sk, 0, BPF_SK_STORAGE_GET_F_CREATE)

/* Remembers what connect() was allowed to; the packet hook compares it with each packet's header.
 */
static __always_inline void mark_destination(struct sluice_mark* mark,
                                             const struct sluice_sandbox* sb,
                                             const struct question* q) {
    mark->sandbox_id = sb->sandbox_id;
    __builtin_memcpy(mark->addr, q->addr.bytes, 16);
    mark->port_be = q->port_be;
    mark->proto = q->proto;
    mark->generation = sb->generation;
}

/* Remembers who sends datagrams: the packet hook may run in another task's context. */
static __always_inline void mark_sender(struct sluice_mark* mark, const struct sluice_sandbox* sb) {
    __u64 pid_tgid = bpf_get_current_pid_tgid();
    mark->sandbox_id = sb->sandbox_id;
    mark->pid = pid_tgid >> 32;
    mark->tid = (__u32)pid_tgid;
    mark->uid = (__u32)bpf_get_current_uid_gid();
    bpf_get_current_comm(mark->comm, sizeof(mark->comm));
}

/*
 * Who listens at a loopback address. `from` and `from_port_be` are the sending end where the caller
 * knows it (a connected UDP socket or an accepted TCP socket is only found by both ends), else
 * zero. Only for loopback: a socket bound to the wildcard address matches any destination here.
 */
static __always_inline __u8 listener_owner(void* ctx, const struct sluice_sandbox* sb,
                                           const struct question* q, const union address* from,
                                           __u16 from_port_be) {
    struct bpf_sock_tuple tuple = {};
    __u32 size;
    /* A broadcast reaches every socket on the port, not just the one that would be found. */
    if (address_is_v4(&q->addr) && q->addr.be32[3] == bpf_htonl(0x7fffffff))
        return SLUICE_LISTENER_OTHER;
    if (address_is_v4(&q->addr)) {
        tuple.ipv4.saddr = from->be32[3];
        tuple.ipv4.sport = from_port_be;
        tuple.ipv4.daddr = q->addr.be32[3];
        tuple.ipv4.dport = q->port_be;
        size = sizeof(tuple.ipv4);
    } else {
        __builtin_memcpy(tuple.ipv6.saddr, from->bytes, 16);
        tuple.ipv6.sport = from_port_be;
        __builtin_memcpy(tuple.ipv6.daddr, q->addr.bytes, 16);
        tuple.ipv6.dport = q->port_be;
        size = sizeof(tuple.ipv6);
    }
    struct bpf_sock* sk;
    if (q->proto == IPPROTO_UDP) {
        sk = size == sizeof(tuple.ipv4)
                 ? bpf_sk_lookup_udp(ctx, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, 0)
                 : bpf_sk_lookup_udp(ctx, &tuple, sizeof(tuple.ipv6), BPF_F_CURRENT_NETNS, 0);
    } else {
        sk = size == sizeof(tuple.ipv4)
                 ? bpf_sk_lookup_tcp(ctx, &tuple, sizeof(tuple.ipv4), BPF_F_CURRENT_NETNS, 0)
                 : bpf_sk_lookup_tcp(ctx, &tuple, sizeof(tuple.ipv6), BPF_F_CURRENT_NETNS, 0);
    }
    if (!sk) return SLUICE_LISTENER_NONE;
    struct sluice_mark* mark = bpf_sk_storage_get(&marks, sk, 0, 0);
    __u8 owner =
        mark && mark->sandbox_id == sb->sandbox_id ? SLUICE_LISTENER_OWN : SLUICE_LISTENER_OTHER;
    bpf_sk_release(sk);
    return owner;
}

#endif
