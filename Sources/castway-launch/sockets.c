#define _GNU_SOURCE
#include "sockets.h"

#include "lifeline.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
// Calls of the x32 interface have this bit.
#define FOREIGN_CALLS 0x40000000U
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

void sockets_report(const struct options *options) {
#ifndef MACHINE
    if (options->network == NETWORK_NONE) { report("unenforced network there is no filter for this processor"); }
#endif
    if (options->network == NETWORK_LOOPBACK) {
        report("unenforced network a limit to the loopback cannot be set on a process; it may connect anywhere");
    }
}

bool sockets_confine(const struct options *options) {
#ifdef MACHINE
    if (options->network != NETWORK_NONE) { return true; }
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#ifdef FOREIGN_CALLS
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FOREIGN_CALLS, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        // It makes sockets too, past any filter.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof steps / sizeof steps[0], .filter = steps};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
#else
    (void)options;
    return true;
#endif
}
