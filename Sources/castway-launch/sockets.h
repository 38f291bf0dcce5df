// The network, by seccomp: Landlock knows TCP alone, and later kernels only.
#ifndef CASTWAY_LAUNCH_SOCKETS_H
#define CASTWAY_LAUNCH_SOCKETS_H

#include "options.h"

/// Says what cannot be enforced here.
void sockets_report(const struct options *options);

/// Without a grant of network no socket can be made any more; pairs can, they lead nowhere.
/// Returns false with `errno`.
bool sockets_confine(const struct options *options);

#endif
