// The limit on processes: a cgroup when one can be made, since only that holds against whatever forks.
#ifndef CASTWAY_LAUNCH_FENCE_H
#define CASTWAY_LAUNCH_FENCE_H

#include "options.h"

/// Makes a cgroup with the limits; says what could not be had.
void fence_make(const struct options *options);

/// Puts the calling process into the cgroup.
/// Returns false when it is in none, so that its processes have to be counted.
bool fence_enter(void);

/// True when there is a cgroup that limits processes.
bool fence_exists(void);

/// Removes the cgroup, once nothing is in it.
void fence_remove(void);

#endif
