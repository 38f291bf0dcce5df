// How much a plugin keeps in its state folder.
#ifndef CASTWAY_LAUNCH_STATE_H
#define CASTWAY_LAUNCH_STATE_H

#include "options.h"

enum { MAXIMUM_STATE_TEXT = 160 };

/// Measures the folder. It stops at the first limit that is passed.
/// Returns whether the limits hold; otherwise the text says what does not. A folder that cannot be looked through does not hold.
bool state_holds(const struct options *options, char text[MAXIMUM_STATE_TEXT]);

#endif
