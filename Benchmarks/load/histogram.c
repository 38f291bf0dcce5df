#include "histogram.h"

#include <string.h>

void histogram_reset(Histogram *histogram) { memset(histogram, 0, sizeof *histogram); }

// Values under 128 have a bucket each; above, every power of two has 128 buckets.
static int bucket_of(uint64_t value) {
    if (value < HISTOGRAM_STEPS) return (int)value;
    int shift = 63 - __builtin_clzll(value) - 7;
    int bucket = (shift + 1) * HISTOGRAM_STEPS + (int)(value >> shift) - HISTOGRAM_STEPS;
    return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

static uint64_t highest_in(int bucket) {
    if (bucket < HISTOGRAM_STEPS) return (uint64_t)bucket;
    int shift = bucket / HISTOGRAM_STEPS - 1;
    uint64_t step = (uint64_t)(bucket % HISTOGRAM_STEPS) + HISTOGRAM_STEPS;
    return ((step + 1) << shift) - 1;
}

void histogram_add(Histogram *histogram, uint64_t nanoseconds) {
    histogram->counts[bucket_of(nanoseconds)]++;
    histogram->total++;
    histogram->sum += (double)nanoseconds;
    if (nanoseconds > histogram->max) histogram->max = nanoseconds;
}

uint64_t histogram_quantile(const Histogram *histogram, double share) {
    uint64_t wanted = (uint64_t)(share * (double)histogram->total + 0.5), seen = 0;
    for (int bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        seen += histogram->counts[bucket];
        if (seen >= wanted && seen > 0) {
            uint64_t value = highest_in(bucket);
            return value < histogram->max ? value : histogram->max;
        }
    }
    return histogram->max;
}

void histogram_print(const Histogram *histogram, FILE *file) {
    double mean = histogram->total ? histogram->sum / (double)histogram->total : 0;
    fprintf(file, "{\"mean\":%.2f,\"p50\":%.2f,\"p99\":%.2f,\"p999\":%.2f,\"max\":%.2f}", mean / 1e3,
            (double)histogram_quantile(histogram, 0.5) / 1e3, (double)histogram_quantile(histogram, 0.99) / 1e3,
            (double)histogram_quantile(histogram, 0.999) / 1e3, (double)histogram->max / 1e3);
}
