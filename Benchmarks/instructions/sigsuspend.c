/* Loaded into the gateway while callgrind watches it. valgrind 3.19 writes into the mask that sigsuspend is given, and
 * libdispatch keeps that mask in memory that cannot be written; so the call gets a copy. */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
    sigset_t copy = *mask;
    return (int)syscall(SYS_rt_sigsuspend, &copy, (size_t)8);
}
