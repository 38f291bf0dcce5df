#ifndef CAVAHI_SHIM_H
#define CAVAHI_SHIM_H

#include <avahi-client/client.h>
#include <avahi-client/lookup.h>
#include <avahi-client/publish.h>
#include <avahi-common/address.h>
#include <avahi-common/error.h>
#include <avahi-common/strlst.h>
#include <avahi-common/thread-watch.h>
#include <avahi-common/timeval.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

// Swift sees enum arithmetic and function-like macros badly; each one that is needed has one line here.

static inline int castway_wake_descriptor(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/// Lets the calling thread, and no other, act as a user without further groups; takes the rights of root.
///
/// The functions of the C library would change all threads.
static inline int castway_act_as(uid_t user, gid_t group) {
    if (syscall(SYS_setgroups, 0, NULL) != 0) return -1;
    if (syscall(SYS_setresgid, group, group, group) != 0) return -1;
    return (int)syscall(SYS_setresuid, user, user, user);
}

#endif
