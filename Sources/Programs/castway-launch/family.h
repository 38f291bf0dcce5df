// The plugin's processes: everything that descends from this one, daemons too, since it is their reaper.
#ifndef CASTWAY_LAUNCH_FAMILY_H
#define CASTWAY_LAUNCH_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// How many processes and threads descend from this process. Looking is cheap while the plugin has no children.
size_t family_size(pid_t plugin);

/// Kills everything that descends from this process; call it until nothing is left to be reaped.
///
/// Whole process groups at once, so that whatever forks all the time does not run away. A process is signalled through a
/// descriptor that was checked to be the one that was seen, so an id that was given to another process meanwhile does no
/// harm.
void family_kill(void);

/// How many processes and threads the user of this process has, whom RLIMIT_NPROC counts together.
unsigned long long family_user_tasks(void);

#endif
