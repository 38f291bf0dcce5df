// System calls, by a seccomp filter: what reaches other processes, makes sockets or, in `strict`, changes who may use a
// file. Calls that this version does not know get ENOSYS, so that a newer libc falls back on what it did before.
#ifndef CASTWAY_LAUNCH_FILTER_H
#define CASTWAY_LAUNCH_FILTER_H

#include "options.h"

/// Says what this machine cannot enforce.
void filter_report(const struct options *options);

/// Refuses the calls for good, for the calling process and all that descend from it; the last thing of all.
/// Returns false with `errno` when the kernel has filters and refuses this one; without filters it does nothing.
bool filter_confine(const struct options *options);

#endif
