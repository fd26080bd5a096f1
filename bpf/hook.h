/* SPDX-License-Identifier: GPL-2.0 */
/* What every hook file starts from. */
#ifndef SLUICE_HOOK_H
#define SLUICE_HOOK_H

#include "mark.h"
#include "record.h"

/* From <linux/in.h>, <linux/net.h> and <asm/errno.h>, which do not mix with BPF's headers. */
#define IPPROTO_ICMPV6 58
#define IPPROTO_MPTCP 262
#define SOCK_STREAM 1
#define SOCK_DGRAM 2
#define ECONNREFUSED 111

/* MPTCP is TCP to the rules; what does not fit a byte is no protocol of theirs. */
static __always_inline __u8 plain_protocol(__u32 protocol) {
    if (protocol == IPPROTO_MPTCP) return IPPROTO_TCP;
    return protocol > 255 ? 255 : protocol;
}

#endif
