/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cgroup/sendmsg4, cgroup/sendmsg6: unconnected datagrams. A v6 socket that sends to an IPv4-mapped
 * address arrives in sendmsg4. UDP-Lite arrives here too; sock_create refuses such sockets first.
 * Loopback datagrams go on to the packet hook, which sees both ends.
 *
 * Answers on internal failure: deny, EPERM.
 */
#include "../hook.h"

static __always_inline int sendmsg_verdict(struct bpf_sock_addr* ctx, struct question* q) {
    struct sluice_sandbox* sb = bpf_get_local_storage(&sandbox, 0);
    struct sluice_verdict v = decide_rules(sb, q);
    if (v.allow) {
        struct sluice_mark* mark = MARK_OF(ctx->sk);
        if (mark) {
            mark_sender(mark, sb);
            return 1;
        }
        v = verdict(0, SLUICE_REASON_INTERNAL, 0);
    }
    struct actor who;
    current_actor(&who);
    record_denial(sb, q, &who, 0, v, SLUICE_HOOK_SENDMSG, bpf_get_socket_cookie(ctx),
                  bpf_get_netns_cookie(ctx));
    return 0;
}

SEC("cgroup/sendmsg4")
int sluice_sendmsg4(struct bpf_sock_addr* ctx) {
    struct question q = question_v4(ctx, SLUICE_OP_SEND);
    return sendmsg_verdict(ctx, &q);
}

SEC("cgroup/sendmsg6")
int sluice_sendmsg6(struct bpf_sock_addr* ctx) {
    struct question q = question_v6(ctx, SLUICE_OP_SEND);
    return sendmsg_verdict(ctx, &q);
}
