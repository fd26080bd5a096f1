/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cgroup/connect4, cgroup/connect6: the verdict for TCP, MPTCP, TCP fast open and connected UDP. An
 * IPv4-mapped destination arrives in connect6 only. This hook is what makes a refusal immediate:
 * the packet hook alone would leave the client waiting for its time-out.
 *
 * Answers on internal failure: deny, EPERM.
 */
#include "../hook.h"

/*
 * Marks only where the packet hook could not decide again by itself, since making a mark costs more
 * than everything else here: a datagram socket's sender, and a flow to an own listener (whose far
 * end may be gone before the last packet). A socket that has a mark already keeps it right: a bound
 * one must not pass for a listener once it is connected.
 */
static __always_inline int mark_allowed(struct bpf_sock_addr* ctx, const struct sluice_sandbox* sb,
                                        const struct question* q, struct sluice_verdict v) {
    int needed = q->proto == IPPROTO_UDP || v.reason == SLUICE_REASON_OWN_LISTENER;
    struct sluice_mark* mark =
        needed ? MARK_OF(ctx->sk) : bpf_sk_storage_get(&marks, ctx->sk, 0, 0);
    if (!mark) return !needed;
    if (q->proto == IPPROTO_UDP)
        mark_sender(mark, sb);
    else
        mark_destination(mark, sb, q);
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
        if (mark_allowed(ctx, sb, q, v)) {
            if (v.rule_id) count_hit(sb, v.rule_id);
            count_reason(v.reason);
            return 1;
        }
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
