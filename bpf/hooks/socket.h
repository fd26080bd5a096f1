/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cgroup/sock_create: only plain TCP, MPTCP and UDP sockets; stops raw, ping, SCTP, UDP-Lite, L2TP
 * and the group joins that need a raw socket. UDP must exist: resolvers and address sorting need
 * it. It also marks the socket as this sandbox's, which is how own listeners are known.
 *
 * cgroup/post_bind4, cgroup/post_bind6: mark again. The subflow socket behind an MPTCP listener is
 * made by the kernel and never passes sock_create.
 *
 * Answers on internal failure: sock_create denies with EPERM; post_bind leaves the socket unmarked,
 * so that it counts as somebody else's.
 */
#include "../hook.h"

SEC("cgroup/sock_create")
int sluice_sock_create(struct bpf_sock* ctx) {
    struct sluice_sandbox* sb = bpf_get_local_storage(&sandbox, 0);
    __u32 type = ctx->type, protocol = ctx->protocol;
    int plain = (type == SOCK_STREAM && plain_protocol(protocol) == IPPROTO_TCP) ||
                (type == SOCK_DGRAM && protocol == IPPROTO_UDP);
    struct sluice_mark* mark = plain ? MARK_OF(ctx) : 0;
    if (mark) {
        mark->sandbox_id = sb->sandbox_id;
        return 1;
    }
    struct question q = {.proto = plain_protocol(protocol)};
    struct actor who;
    current_actor(&who);
    record_denial(sb, &q, &who, 0,
                  verdict(0, plain ? SLUICE_REASON_INTERNAL : SLUICE_REASON_SOCKET_TYPE, 0),
                  SLUICE_HOOK_SOCK_CREATE, 0, bpf_get_netns_cookie(ctx));
    return 0;
}

static __always_inline int mark_bound(struct bpf_sock* ctx) {
    struct sluice_sandbox* sb = bpf_get_local_storage(&sandbox, 0);
    struct sluice_mark* mark = MARK_OF(ctx);
    if (mark) mark->sandbox_id = sb->sandbox_id;
    return 1;
}

SEC("cgroup/post_bind4")
int sluice_post_bind4(struct bpf_sock* ctx) {
    return mark_bound(ctx);
}

SEC("cgroup/post_bind6")
int sluice_post_bind6(struct bpf_sock* ctx) {
    return mark_bound(ctx);
}
