/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which listeners are the sandbox's own. Nothing is refused here.
 *
 * cgroup/post_bind4, cgroup/post_bind6: mark a socket that was bound: servers, also the subflow
 * socket that the kernel makes behind an MPTCP listener.
 * sockops: mark a listener that never called bind(); the kernel then chooses a port and runs no
 * bind hook. Called for other TCP events too, so it leaves at once.
 *
 * Answers on internal failure: the socket stays unmarked and counts as somebody else's.
 */
#include "../hook.h"

static __always_inline void mark_owner(struct sluice_mark* mark) {
    struct sluice_sandbox* sb = bpf_get_local_storage(&sandbox, 0);
    if (mark) mark->sandbox_id = sb->sandbox_id;
}

SEC("cgroup/post_bind4")
int sluice_post_bind4(struct bpf_sock* ctx) {
    mark_owner(MARK_OF(ctx));
    return 1;
}

SEC("cgroup/post_bind6")
int sluice_post_bind6(struct bpf_sock* ctx) {
    mark_owner(MARK_OF(ctx));
    return 1;
}

SEC("sockops")
int sluice_sockops(struct bpf_sock_ops* ctx) {
    if (ctx->op == BPF_SOCK_OPS_TCP_LISTEN_CB) {
        struct bpf_sock* sk = ctx->sk;
        if (sk) mark_owner(MARK_OF(sk));
    }
    ctx->reply = -1; /* "no opinion" for the events that ask for a value */
    return 1;
}
