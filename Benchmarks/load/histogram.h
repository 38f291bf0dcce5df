// Latencies in nanoseconds, counted in buckets that are at most 0.8 % wide.
#pragma once
#include <stdint.h>
#include <stdio.h>

enum { HISTOGRAM_STEPS = 128, HISTOGRAM_BUCKETS = 40 * HISTOGRAM_STEPS };

typedef struct {
    uint64_t counts[HISTOGRAM_BUCKETS];
    uint64_t total;
    uint64_t max;
    double sum;
} Histogram;

void histogram_reset(Histogram *histogram);
void histogram_add(Histogram *histogram, uint64_t nanoseconds);
// The value that `share` (0 to 1) of all values do not exceed, in nanoseconds.
uint64_t histogram_quantile(const Histogram *histogram, double share);
// Prints a JSON object of microseconds: mean, p50, p99, p999, max.
void histogram_print(const Histogram *histogram, FILE *file);
