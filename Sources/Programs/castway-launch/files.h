// Files and signals, by Landlock: landlock(7).
#ifndef CASTWAY_LAUNCH_FILES_H
#define CASTWAY_LAUNCH_FILES_H

#include "options.h"

/// Says what this kernel's Landlock cannot do.
void files_report(const struct options *options);

/// In `strict`, leaves the calling process the plugin's folder, what programs of the system need, and the state directory.
/// In every sandbox its signals reach only what descends from it.
/// Returns false with `errno` when the kernel has Landlock and it fails; without Landlock it does nothing.
bool files_confine(const struct options *options);

#endif
