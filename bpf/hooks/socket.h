/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cgroup/sock_create: only plain TCP, MPTCP and UDP sockets; stops raw, ping, SCTP, UDP-Lite, L2TP
 * and the group joins that need a raw socket. UDP must exist: resolvers and address sorting need
 * it.
 *
 * Answers on internal failure: EPERM.
 */
#include "../hook.h"

SEC("cgroup/sock_create")
int sluice_sock_create(struct bpf_sock* ctx) {
    __u32 type = ctx->type, protocol = ctx->protocol;
    if (type == SOCK_STREAM && plain_protocol(protocol) == IPPROTO_TCP) return 1;
    if (type == SOCK_DGRAM && protocol == IPPROTO_UDP) return 1;
    struct sluice_sandbox* sb = bpf_get_local_storage(&sandbox, 0);
    struct question q = {.proto = plain_protocol(protocol)};
    struct actor who;
    current_actor(&who);
    record_denial(sb, &q, &who, 0, verdict(0, SLUICE_REASON_SOCKET_TYPE, 0),
                  SLUICE_HOOK_SOCK_CREATE, 0, bpf_get_netns_cookie(ctx));
    return 0;
}
