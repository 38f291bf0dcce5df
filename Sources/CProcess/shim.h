// prctl(2) takes a varying number of arguments, which Swift cannot call.
#ifndef CASTWAY_PROCESS_SHIM_H
#define CASTWAY_PROCESS_SHIM_H

#include <sys/prctl.h>

/// Lets no other process of the same user read this one's memory, and the kernel write none of it to a core file.
static inline int castway_hide_memory(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

#endif
