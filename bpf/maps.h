/* SPDX-License-Identifier: GPL-2.0 */
/* Every map of the programs. Keys, values and who writes them: include/sluice/abi.h. */
#ifndef SLUICE_MAPS_H
#define SLUICE_MAPS_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <sluice/abi.h>

/* Keyed by the cgroup id alone, so that all attach types of a cgroup share one storage. */
struct {
    __uint(type, BPF_MAP_TYPE_CGROUP_STORAGE);
    __type(key, __u64);
    __type(value, struct sluice_sandbox);
} sandbox SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE);
    __type(key, __u64);
    __type(value, struct sluice_counters);
} counters SEC(".maps");

/*
 * Inner maps may differ from these in max_entries, not in flags. Sizes and not types: clang prunes
 * a struct that is only pointed to from within another struct, and libbpf then can't size it.
 */
struct rules_inner {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, 1);
    __uint(key_size, sizeof(struct sluice_rule_key));
    __uint(value_size, sizeof(struct sluice_rule_value));
};
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, SLUICE_MAX_SLOTS);
    __type(key, __u32);
    __array(values, struct rules_inner);
} rules_by_slot SEC(".maps");

struct prefixes_inner {
    __uint(type, BPF_MAP_TYPE_LPM_TRIE);
    __uint(map_flags, BPF_F_NO_PREALLOC);
    __uint(max_entries, 1);
    __uint(key_size, sizeof(struct sluice_prefix_key));
    __uint(value_size, sizeof(struct sluice_prefix_value));
};
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, SLUICE_MAX_SLOTS);
    __type(key, __u32);
    __array(values, struct prefixes_inner);
} prefix_by_slot SEC(".maps");

struct ranges_inner {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_INNER_MAP);
    __uint(max_entries, 1);
    __uint(key_size, sizeof(__u32));
    __uint(value_size, sizeof(struct sluice_port_range));
};
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, SLUICE_MAX_SLOTS);
    __type(key, __u32);
    __array(values, struct ranges_inner);
} ranges_by_slot SEC(".maps");

/*
 * Not a per-CPU array: as an inner map its inlined look-up takes the bound from this template and
 * not from the map that is really there (6.10 and later), so it would only ever find index 0.
 */
struct hits_inner {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_INNER_MAP);
    __uint(max_entries, 1);
    __uint(key_size, sizeof(__u32));
    __uint(value_size, sizeof(struct sluice_hits));
};
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, SLUICE_MAX_BOXES);
    __type(key, __u32);
    __array(values, struct hits_inner);
} hits_by_box SEC(".maps");

struct denials_inner {
    __uint(type, BPF_MAP_TYPE_LRU_HASH);
    __uint(max_entries, SLUICE_MAX_DENIALS);
    __uint(key_size, sizeof(struct sluice_denial_key));
    __uint(value_size, sizeof(struct sluice_denial));
};
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
    __uint(max_entries, SLUICE_MAX_BOXES);
    __type(key, __u32);
    __array(values, struct denials_inner);
} denials_by_box SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_SK_STORAGE);
    __uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_CLONE);
    __type(key, int);
    __type(value, struct sluice_mark);
} marks SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 1 << 18);
} events SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct sluice_ask);
} ask SEC(".maps");

#endif
