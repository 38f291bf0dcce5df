#define _GNU_SOURCE
#include "filter.h"

#include "lifeline.h"
#include "refused.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

static bool is_available(void) {
#ifdef MACHINE
    // A kernel that has filters misses the program.
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) != 0 && errno == EFAULT;
#else
    return false;
#endif
}

void filter_report(const struct options *options) {
    if (!is_available()) {
#ifdef MACHINE
        const char *reason = "the kernel has no seccomp filters";
#else
        const char *reason = "there is no seccomp filter for this processor";
#endif
        report("unenforced calls %s: it may open sockets, and reach other processes of its user", reason);
        return;
    }
    if (options->network == NETWORK_LOOPBACK) {
        report("unenforced network a limit to the loopback cannot be set on a process; it may connect anywhere");
    }
}

#ifdef MACHINE
enum {
    /// The last call of the table that was judged here, mseal(2). The calls of the x32 interface have larger numbers too.
    LAST_KNOWN = 462,
    MAXIMUM_STEPS = 1024,
    CLONE3 = 435,
    /// CLONE_NEWTIME, which is a flag of unshare(2) alone.
    NEW_TIME = 0x80,
    SOCKET_TYPE = 0xf,
    /// IOPRIO_WHO_PGRP of ioprio_set(2).
    PRIORITY_OF_GROUP = 2,
};

static const uint32_t NEW_NAMESPACES = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER
    | CLONE_NEWPID | CLONE_NEWNET;

struct program {
    struct sock_filter steps[MAXIMUM_STEPS];
    size_t count;
};

static void add(struct program *program, uint16_t code, uint8_t if_true, uint8_t if_false, uint32_t value) {
    if (program->count < MAXIMUM_STEPS) {
        program->steps[program->count] = (struct sock_filter){code, if_true, if_false, value};
    }
    program->count++;
}

static void load(struct program *program, size_t offset) {
    add(program, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

/// Loads the lower half of an argument; the kernel looks at no more of those that are judged here.
static void load_argument(struct program *program, int index) {
    load(program, offsetof(struct seccomp_data, args) + (size_t)index * sizeof(uint64_t));
}

static void allow(struct program *program) { add(program, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW); }

static void refuse(struct program *program, uint32_t code) {
    add(program, BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | code);
}

/// Begins what is done about a call. What follows must end in an answer; `finish` lets other calls jump there.
static size_t begin(struct program *program, uint32_t call) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, call);
    return program->count - 1;
}

static void finish(struct program *program, size_t start) {
    if (start < MAXIMUM_STEPS) { program->steps[start].jf = (uint8_t)(program->count - start - 1); }
}

static void refuse_call(struct program *program, uint32_t call, uint32_t code) {
    const size_t start = begin(program, call);
    refuse(program, code);
    finish(program, start);
}

/// Allows the value that was loaded last when it is this one.
static void allow_value(struct program *program, uint32_t value) {
    add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value);
    allow(program);
}

/// Allows a process by its id in an argument: the caller's own, or that of the plugin.
static void only_self(struct program *program, uint32_t call, int argument) {
    const size_t start = begin(program, call);
    load_argument(program, argument);
    allow_value(program, 0);
    allow_value(program, (uint32_t)getpid());
    refuse(program, EPERM);
    finish(program, start);
}

/// As `only_self`, for calls that have the kind of what is named before it: a process, its group, or all of a user.
static void only_own(struct program *program, uint32_t call, uint32_t widest) {
    const size_t start = begin(program, call);
    load_argument(program, 0);
    add(program, BPF_JMP | BPF_JGT | BPF_K, 0, 1, widest);
    refuse(program, EPERM);
    load_argument(program, 1);
    allow_value(program, 0);
    allow_value(program, (uint32_t)getpid());
    refuse(program, EPERM);
    finish(program, start);
}

static void refuse_flags(struct program *program, uint32_t call, uint32_t flags) {
    const size_t start = begin(program, call);
    load_argument(program, 0);
    add(program, BPF_JMP | BPF_JSET | BPF_K, 0, 1, flags);
    refuse(program, EPERM);
    allow(program);
    finish(program, start);
}

/// Sockets of the internet where the network was granted, netlink to learn of this machine's addresses, and no others:
/// not those of files, behind which services of the same user listen.
static void judge_socket(struct program *program, bool has_network) {
    const size_t start = begin(program, SYS_socket);
    if (has_network) {
        load_argument(program, 0);
        allow_value(program, AF_INET);
        allow_value(program, AF_INET6);
        add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 3, AF_NETLINK);
        load_argument(program, 2);
        allow_value(program, NETLINK_ROUTE);
    }
    refuse(program, EACCES);
    finish(program, start);
}

/// A pair leads nowhere else, unless it is one of datagrams, which can be sent to any other address.
static void judge_pair(struct program *program) {
    const size_t start = begin(program, SYS_socketpair);
    load_argument(program, 1);
    add(program, BPF_ALU | BPF_AND | BPF_K, 0, 0, SOCKET_TYPE);
    allow_value(program, SOCK_STREAM);
    allow_value(program, SOCK_SEQPACKET);
    refuse(program, EACCES);
    finish(program, start);
}

/// Memory that is shared and belongs to no file: the limit is one of private memory.
static void refuse_shared_memory(struct program *program) {
    const size_t start = begin(program, SYS_mmap);
    load_argument(program, 3);
    add(program, BPF_ALU | BPF_AND | BPF_K, 0, 0, MAP_SHARED | MAP_ANONYMOUS);
    add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, MAP_SHARED | MAP_ANONYMOUS);
    refuse(program, EPERM);
    allow(program);
    finish(program, start);
}

static void judge_control(struct program *program, const uint32_t *requests, size_t count) {
    const size_t start = begin(program, SYS_ioctl);
    load_argument(program, 1);
    for (size_t index = 0; index < count; index++) {
        add(program, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, requests[index]);
        refuse(program, EPERM);
    }
    allow(program);
    finish(program, start);
}

static void write_program(struct program *program, const struct options *options) {
    load(program, offsetof(struct seccomp_data, arch));
    add(program, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, MACHINE);
    refuse(program, ENOSYS);
    load(program, offsetof(struct seccomp_data, nr));
    add(program, BPF_JMP | BPF_JGT | BPF_K, 0, 1, LAST_KNOWN);
    refuse(program, ENOSYS);
    for (size_t index = 0; index < missing_calls.count; index++) {
        refuse_call(program, missing_calls.numbers[index], ENOSYS);
    }
    for (size_t index = 0; index < foreign_calls.count; index++) {
        refuse_call(program, foreign_calls.numbers[index], EPERM);
    }
    only_self(program, SYS_prlimit64, 0);
    only_self(program, SYS_sched_setaffinity, 0);
    only_self(program, SYS_sched_setscheduler, 0);
    only_self(program, SYS_sched_setparam, 0);
    only_self(program, SYS_sched_setattr, 0);
    only_own(program, SYS_setpriority, PRIO_PGRP);
    only_own(program, SYS_ioprio_set, PRIORITY_OF_GROUP);
    // Its flags are behind a pointer, where no filter sees them. Without it libc uses clone(2).
    refuse_call(program, CLONE3, ENOSYS);
    refuse_flags(program, SYS_clone, NEW_NAMESPACES);
    refuse_flags(program, SYS_unshare, NEW_NAMESPACES | NEW_TIME);
    judge_socket(program, options->network != NETWORK_NONE);
    judge_pair(program);
    const bool is_strict = options->sandbox == SANDBOX_STRICT;
    judge_control(program, refused_requests.numbers, is_strict ? refused_requests.count : refused_requests.count_basic);
    for (size_t index = 0; is_strict && index < attribute_calls.count; index++) {
        refuse_call(program, attribute_calls.numbers[index], EPERM);
    }
    for (size_t index = 0; is_strict && index < shared_calls.count; index++) {
        refuse_call(program, shared_calls.numbers[index], EPERM);
    }
    if (is_strict) { refuse_shared_memory(program); }
    allow(program);
}
#endif

bool filter_confine(const struct options *options) {
    if (!is_available()) { return true; }
#ifdef MACHINE
    static struct program program;
    write_program(&program, options);
    if (program.count > MAXIMUM_STEPS) {
        errno = E2BIG;
        return false;
    }
    const struct sock_fprog filter = {.len = (unsigned short)program.count, .filter = program.steps};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
#else
    (void)options;
    return true;
#endif
}
