// A back end for bridges: answers each request with a JSON object of --size bytes that has the request's `requestId`.
#include <stdio.h>
#include <string.h>

#include "http.h"
#include "loop.h"
#include "modes.h"

static long requests, nameless;

static size_t answer(Slice body, char *out) {
    int64_t number = slice_number(body, "requestId");
    requests++;
    if (number < 0) {
        nameless++;
        return 0;
    }
    size_t size = (size_t)options.size;
    size_t count = (size_t)sprintf(out, "{\"type\":\"BENCH\",\"requestId\":%lld,\"text\":\"", (long long)number);
    while (count + 2 < size) {
        out[count] = "an answer of the back end "[count % 26];
        count++;
    }
    memcpy(out + count, "\"}", 2);
    return count + 2;
}

int run_backend(void) {
    if (!options.listen.host) fail("backend needs --listen");
    printf("{\"listening\":%d}\n", http_serve(options.listen, answer));
    fflush(stdout);
    loop_run();
    printf("{\"mode\":\"backend\",\"requests\":%ld,\"nameless\":%ld,\"own_cpu_us\":%.0f}\n", requests, nameless,
           (double)own_cpu_ns() / 1e3);
    return 0;
}
