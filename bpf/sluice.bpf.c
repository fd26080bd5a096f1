// SPDX-License-Identifier: GPL-2.0
/*
 * The programs, loaded once and attached to every sandbox's cgroup. Which sandbox a program runs
 * for is the cgroup it is attached to (bpf_get_local_storage), never the current task: a socket may
 * be connected by another process or by a kernel worker.
 */
#include "hooks/ask.h"
#include "hooks/connect.h"
#include "hooks/egress.h"
#include "hooks/listen.h"
#include "hooks/sendmsg.h"
#include "hooks/socket.h"

char LICENSE[] SEC("license") = "GPL";
