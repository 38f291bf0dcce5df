// Top-level members of a JSON object, found without building a tree.
#pragma once
#include "frame.h"

// The value of this member as it stands there, or an empty slice.
Slice json_member(Slice object, const char *key);
// A string's content, escapes as they are; an empty slice for everything else.
Slice json_string(Slice object, const char *key);
// A number, or `otherwise`.
double json_number(Slice object, const char *key, double otherwise);
// 1, 0, or -1 when there is no such truth value.
int json_truth(Slice object, const char *key);
// The next string of an array, from `*at` on, which moves behind it; false when there is none left.
bool json_next_string(Slice array, size_t *at, Slice *text);
