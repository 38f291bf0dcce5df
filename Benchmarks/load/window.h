// The measured time: CPU of the watched processes and of this one, from begin to end.
#pragma once
#include <stdint.h>
#include <stdio.h>

typedef struct {
    uint64_t began, ended, own, watched[8];
} Window;

void window_begin(Window *window);
void window_end(Window *window);
double window_seconds(const Window *window);
// Prints JSON members: "seconds", "own_cpu_us", and "watched_cpu_us", a list in the order of --watch.
void window_print(const Window *window, FILE *file);
