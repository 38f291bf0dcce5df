// The plugin's environment. It comes over the lifeline as data, so that none of it means anything to the launcher itself.
#ifndef CASTWAY_LAUNCH_ENVIRONMENT_H
#define CASTWAY_LAUNCH_ENVIRONMENT_H

#include <stddef.h>

enum { MAXIMUM_ENVIRONMENT = 128 << 10 };

/// Reads so many bytes of variables, `NAME=VALUE` with a zero byte behind each; waits until they are there.
/// Returns them as execve(2) wants them; NULL when they are not whole.
char **environment_read(int descriptor, size_t size);

#endif
