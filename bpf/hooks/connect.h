/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cgroup/connect4, cgroup/connect6: the verdict for TCP, MPTCP, TCP fast open and connected UDP. An
 * IPv4-mapped destination arrives in connect6 only. This hook is what makes a refusal immediate:
 * the packet hook alone would leave the client waiting for its time-out.
 *
 * Answers on internal failure: deny, EPERM.
 */
#include "../hook.h"

static __always_inline int connect_allowed(struct bpf_sock_addr* ctx,
                                           const struct sluice_sandbox* sb,
                                           const struct question* q, struct sluice_verdict v) {
    struct sluice_mark* mark = MARK_OF(ctx->sk);
    if (!mark) return 0;
    if (q->proto == IPPROTO_UDP) mark_sender(mark, sb);
    if (q->proto == IPPROTO_TCP || v.reason == SLUICE_REASON_OPEN_MODE)
        mark_destination(mark, sb, q);
    if (v.rule_id) count_hit(sb, v.rule_id);
    count_reason(v.reason);
    return 1;
}

static __always_inline int connect_verdict(struct bpf_sock_addr* ctx, struct question* q) {
    struct sluice_sandbox* sb = bpf_get_local_storage(&sandbox, 0);
    struct sluice_verdict v = decide_rules(sb, q);
    if (v.reason == SLUICE_REASON_ASK_LISTENER) {
        union address unknown = {};
        q->listener = listener_owner(ctx, sb, q, &unknown, 0);
        v = decide_loopback(sb, q);
    }
    if (v.allow) {
        if (connect_allowed(ctx, sb, q, v)) return 1;
        v = verdict(0, SLUICE_REASON_INTERNAL, 0);
    }
    struct actor who;
    current_actor(&who);
    record_denial(sb, q, &who, 0, v, SLUICE_HOOK_CONNECT, bpf_get_socket_cookie(ctx),
                  bpf_get_netns_cookie(ctx));
    /* A program that polls for its own server expects this errno while nobody listens yet. */
    if (v.reason == SLUICE_REASON_NO_LISTENER) bpf_set_retval(-ECONNREFUSED);
    return 0;
}

SEC("cgroup/connect4")
int sluice_connect4(struct bpf_sock_addr* ctx) {
    struct question q = question_v4(ctx, SLUICE_OP_CONNECT);
    return connect_verdict(ctx, &q);
}

SEC("cgroup/connect6")
int sluice_connect6(struct bpf_sock_addr* ctx) {
    struct question q = question_v6(ctx, SLUICE_OP_CONNECT);
    return connect_verdict(ctx, &q);
}
