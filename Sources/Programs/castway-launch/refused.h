// The calls that no plugin in a sandbox may make. Each list is there for the processor that this is built for.
#ifndef CASTWAY_LAUNCH_REFUSED_H
#define CASTWAY_LAUNCH_REFUSED_H

#include <stddef.h>
#include <stdint.h>

struct calls {
    const uint32_t *numbers;
    size_t count;
};

/// What goes past every filter; it is as if the kernel did not have it.
extern const struct calls missing_calls;

/// What reaches other processes, the mounts, the kernel itself or its keys.
extern const struct calls foreign_calls;

/// What changes mode, owner, attributes and times of files, which Landlock lets pass for files that it closes.
extern const struct calls attribute_calls;

/// What takes memory that is not counted as the plugin's, and that may outlive it: shared memory, queues and semaphores.
extern const struct calls shared_calls;

struct requests {
    const uint32_t *numbers;
    /// All of them, for the sandbox `strict`.
    size_t count;
    /// The first of them, for every sandbox.
    size_t count_basic;
};

/// Requests of ioctl(2).
extern const struct requests refused_requests;

#endif
