/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counting and telling. Nothing here changes a verdict: a full table or ring is itself counted.
 */
#ifndef SLUICE_RECORD_H
#define SLUICE_RECORD_H

#include "decide.h"

#define SECOND_NS 1000000000ull

/* Who made the attempt; from the current task, or from the mark for packets. */
struct actor {
    __u32 pid, tid, uid;
    char comm[SLUICE_COMM_LEN];
};

static __always_inline void current_actor(struct actor* who) {
    __u64 pid_tgid = bpf_get_current_pid_tgid();
    who->pid = pid_tgid >> 32;
    who->tid = (__u32)pid_tgid;
    who->uid = (__u32)bpf_get_current_uid_gid();
    bpf_get_current_comm(who->comm, sizeof(who->comm));
}

struct dns_name {
    __u32 hash; /* 0: no name */
    char text[SLUICE_NAME_LEN];
};

static __always_inline void count_reason(__u8 reason) {
    struct sluice_counters* c = bpf_get_local_storage(&counters, 0);
    /* Atomic: the packet hook may interrupt a connect hook on the same CPU. */
    __sync_fetch_and_add(&c->by_reason[reason & (SLUICE_REASON_COUNT - 1)], 1);
}

static __always_inline void count_hit(const struct sluice_sandbox* sb, __u32 rule_id) {
    __u32 box = sb->box;
    void* hits = bpf_map_lookup_elem(&hits_by_box, &box);
    struct sluice_hits* hit = hits ? bpf_map_lookup_elem(hits, &rule_id) : 0;
    if (!hit) return;
    __sync_fetch_and_add(&hit->count, 1);
    hit->last_ns = bpf_ktime_get_coarse_ns();
}

static __always_inline void add_denial(const struct sluice_sandbox* sb,
                                       const struct sluice_denial_key* what,
                                       const struct actor* who, const struct dns_name* name,
                                       struct sluice_verdict v, __u32 hook, __u64 now) {
    __u32 box = sb->box;
    void* denials = bpf_map_lookup_elem(&denials_by_box, &box);
    struct sluice_denial* known = denials ? bpf_map_lookup_elem(denials, what) : 0;
    if (known) {
        __sync_fetch_and_add(&known->count, 1);
        known->last_ns = now;
        known->pid = who->pid;
        known->uid = who->uid;
        __builtin_memcpy(known->comm, who->comm, SLUICE_COMM_LEN);
        return;
    }
    struct sluice_denial fresh = {.count = 1, .first_ns = now, .last_ns = now};
    fresh.pid = who->pid;
    fresh.uid = who->uid;
    fresh.rule_id = v.rule_id;
    fresh.hook = hook;
    __builtin_memcpy(fresh.comm, who->comm, SLUICE_COMM_LEN);
    if (name) __builtin_memcpy(fresh.name, name->text, SLUICE_NAME_LEN);
    if (!denials || bpf_map_update_elem(denials, what, &fresh, BPF_ANY)) {
        struct sluice_counters* c = bpf_get_local_storage(&counters, 0);
        __sync_fetch_and_add(&c->denials_lost, 1);
    }
}

/* At most SLUICE_EVENTS_PER_SECOND a second and CPU from one sandbox. */
static __always_inline int may_send_event(struct sluice_counters* c, __u64 now) {
    if (now - c->window_start_ns > SECOND_NS) {
        c->window_start_ns = now;
        c->window_events = 0;
    }
    if (c->window_events >= SLUICE_EVENTS_PER_SECOND) {
        __sync_fetch_and_add(&c->events_limited, 1);
        return 0;
    }
    c->window_events++;
    return 1;
}

static __always_inline void send_event(const struct sluice_sandbox* sb,
                                       const struct sluice_denial_key* what,
                                       const struct actor* who, const struct dns_name* name,
                                       struct sluice_verdict v, __u32 hook, __u64 cookie,
                                       __u64 netns, __u64 now) {
    struct sluice_counters* c = bpf_get_local_storage(&counters, 0);
    if (!may_send_event(c, now)) return;
    struct sluice_event* event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
    if (!event) {
        __sync_fetch_and_add(&c->events_lost, 1);
        return;
    }
    event->time_ns = now;
    event->sandbox_id = sb->sandbox_id;
    event->generation = sb->generation;
    event->socket_cookie = cookie;
    event->netns_cookie = netns;
    event->what = *what;
    event->pid = who->pid;
    event->tid = who->tid;
    event->uid = who->uid;
    event->rule_id = v.rule_id;
    event->hook = hook;
    event->zero = 0;
    __builtin_memcpy(event->comm, who->comm, SLUICE_COMM_LEN);
    if (name)
        __builtin_memcpy(event->name, name->text, SLUICE_NAME_LEN);
    else
        __builtin_memset(event->name, 0, SLUICE_NAME_LEN);
    bpf_ringbuf_submit(event, 0);
}

/* One refusal: counted exactly, remembered by destination, told by event. */
static __always_inline void record_denial(const struct sluice_sandbox* sb, const struct question* q,
                                          const struct actor* who, const struct dns_name* name,
                                          struct sluice_verdict v, __u32 hook, __u64 cookie,
                                          __u64 netns) {
    count_reason(v.reason);
    /* PORT_ZERO is the live probe's; an unconfigured sandbox has no box to write to. */
    if (v.reason == SLUICE_REASON_PORT_ZERO || v.reason == SLUICE_REASON_NOT_CONFIGURED) return;
    struct sluice_denial_key what = {.port_be = q->port_be, .proto = q->proto, .reason = v.reason};
    __builtin_memcpy(what.addr, q->addr.bytes, 16);
    if (name) what.name_hash = name->hash;
    __u64 now = bpf_ktime_get_ns();
    add_denial(sb, &what, who, name, v, hook, now);
    send_event(sb, &what, who, name, v, hook, cookie, netns, now);
}

#endif
