/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Never attached: run by BPF_PROG_TEST_RUN to put one question to decide() over the installed
 * tables, for `explain` and for the tests. A tc program, because the types that the hooks have
 * can't be test run, and a syscall program may not read an LPM trie.
 */
#include "../hook.h"

SEC("tc")
int sluice_ask(struct __sk_buff* skb) {
    __u32 zero = 0;
    struct sluice_ask* a = bpf_map_lookup_elem(&ask, &zero);
    if (!a) return -1;
    struct sluice_sandbox sb = a->sandbox;
    struct question q = {.port_be = a->query.port_be,
                         .proto = a->query.proto,
                         .op = a->query.op,
                         .listener = a->query.listener};
    __builtin_memcpy(q.addr.bytes, a->query.addr, 16);
    address_canonicalise(&q.addr);
    struct sluice_verdict v = decide_rules(&sb, &q);
    if (v.reason == SLUICE_REASON_ASK_LISTENER) {
        union address unknown = {};
        if (q.listener == SLUICE_LISTENER_LOOK_UP)
            q.listener = listener_owner(skb, &sb, &q, &unknown, 0);
        v = decide_loopback(&sb, &q);
    }
    a->verdict = v;
    return 0;
}
