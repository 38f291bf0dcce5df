// The constants of timerfd_create(2) are no plain numbers for Swift.
#ifndef CASTWAY_CLOCK_SHIM_H
#define CASTWAY_CLOCK_SHIM_H

#include <errno.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/// Makes a descriptor that becomes readable, and whose reading fails with ECANCELED, once the time of day is set.
/// Returns -1, with errno, where the system cannot tell.
static inline int castway_clock_set_descriptor(void) {
    int descriptor = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    if (descriptor < 0) return -1;
    // It never expires by itself.
    struct itimerspec never = {.it_value = {.tv_sec = INT32_MAX}};
    if (timerfd_settime(descriptor, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) == 0) return descriptor;
    int reason = errno;
    close(descriptor);
    errno = reason;
    return -1;
}

#endif
