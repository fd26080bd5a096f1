/* SPDX-License-Identifier: GPL-2.0 */
/* Addresses as abi.h writes them: 16 bytes, IPv4 mapped, "this host" as loopback. */
#ifndef SLUICE_ADDRESS_H
#define SLUICE_ADDRESS_H

#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

/* The same 16 bytes as words; always used through this union so that copies stay 32-bit loads. */
union address {
    __u8 bytes[16];
    __u32 be32[4];
    __u64 be64[2];
};

static __always_inline void address_set_v4(union address* a, __u32 addr_be) {
    a->be64[0] = 0;
    a->be32[2] = bpf_htonl(0xffff);
    a->be32[3] = addr_be;
}

static __always_inline int address_is_v4(const union address* a) {
    return a->be64[0] == 0 && a->be32[2] == bpf_htonl(0xffff);
}

/* connect(0.0.0.0) and connect(::) reach loopback, but arrive in the hooks unchanged. */
static __always_inline void address_canonicalise(union address* a) {
    if (address_is_v4(a)) {
        if (a->be32[3] == 0) a->be32[3] = bpf_htonl(0x7f000001);
    } else if (a->be64[0] == 0 && a->be64[1] == 0) {
        a->be32[3] = bpf_htonl(1);
    }
}

static __always_inline int address_is_loopback(const union address* a) {
    if (address_is_v4(a)) return (a->be32[3] & bpf_htonl(0xff000000)) == bpf_htonl(0x7f000000);
    return a->be64[0] == 0 && a->be32[2] == 0 && a->be32[3] == bpf_htonl(1);
}

/*
 * The IPv4 address inside NAT64 (64:ff9b::/96, RFC 6052) and 6to4 (2002::/16, RFC 3056): a deny of
 * that IPv4 must hold for these spellings too. Returns 0 where there is none.
 */
static __always_inline int address_embedded_v4(const union address* a, union address* v4) {
    if (a->be32[0] == bpf_htonl(0x0064ff9b) && a->be32[1] == 0 && a->be32[2] == 0) {
        address_set_v4(v4, a->be32[3]);
        return 1;
    }
    if ((a->be32[0] & bpf_htonl(0xffff0000)) == bpf_htonl(0x20020000)) {
        __u32 high = bpf_ntohl(a->be32[0]) & 0xffff, low = bpf_ntohl(a->be32[1]) >> 16;
        address_set_v4(v4, bpf_htonl(high << 16 | low));
        return 1;
    }
    return 0;
}

#endif
