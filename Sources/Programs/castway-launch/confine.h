// What is taken from a plugin before it runs.
#ifndef CASTWAY_LAUNCH_CONFINE_H
#define CASTWAY_LAUNCH_CONFINE_H

#include "options.h"

/// Says what of the options this kernel cannot enforce.
void confine_report(const struct options *options);

/// Confines the calling process, which is about to become the plugin.
/// Returns NULL, or the step that failed, with `errno` set.
const char *confine(const struct options *options);

#endif
