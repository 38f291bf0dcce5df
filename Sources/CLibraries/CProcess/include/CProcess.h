#ifndef CASTWAY_PROCESS_H
#define CASTWAY_PROCESS_H

/// Lets no other process of the same user read this one's memory, and the kernel write none of it to a core file. Swift cannot call
/// prctl(2) and syscall(2) itself, which take a varying number of arguments.
int castway_hide_memory(void);

/// Keeps what is open now, but for the standard descriptors, from programs that are executed from here on (Linux 5.11, CLOSE_RANGE_CLOEXEC).
int castway_close_on_exec(void);

/// How many arguments the process was started with, its name among them.
int castway_argument_count(void);

/// One of the arguments, counted from 0; NULL beyond the last one. Swift's own `CommandLine` reads them from /proc, which a chroot or a
/// container may be without, and has none then.
const char *castway_argument(int index);

#endif
