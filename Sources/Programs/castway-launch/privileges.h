// What root has beyond a user, by capabilities(7).
#ifndef CASTWAY_LAUNCH_PRIVILEGES_H
#define CASTWAY_LAUNCH_PRIVILEGES_H

#include <stdbool.h>

/// Drops every capability of the calling process for good, and lets no program that it executes have any.
/// Returns false with `errno`.
bool privileges_drop(void);

#endif
