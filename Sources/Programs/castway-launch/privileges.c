#define _GNU_SOURCE
#include "privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

bool privileges_drop(void) {
    // The kernel may know more of them than the headers, and refuses the first that it does not know.
    for (unsigned long number = 0; prctl(PR_CAPBSET_READ, number, 0, 0, 0) >= 0; number++) {
        // Who may not drop them has none that could be gained, since no_new_privs is set.
        if (prctl(PR_CAPBSET_DROP, number, 0, 0, 0) != 0 && errno != EPERM) { return false; }
    }
    // A kernel without ambient capabilities has none to drop.
    if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 && errno != EINVAL) { return false; }
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct own[2] = {0};
    if (syscall(SYS_capget, &header, own) != 0) { return false; }
    unsigned all = 0;
    for (int half = 0; half < 2; half++) { all |= own[half].effective | own[half].permitted | own[half].inheritable; }
    // A service manager's filter may refuse the call to a service that has none.
    if (all == 0) { return true; }
    const struct __user_cap_data_struct none[2] = {0};
    return syscall(SYS_capset, &header, none) == 0;
}
