// TLS handshakes: connect, shake hands, close, and again; `connections` of them at once. No session is resumed.
#include <stdlib.h>
#include <string.h>

#include "connection.h"
#include "histogram.h"
#include "modes.h"
#include "options.h"
#include "window.h"

static SSL_CTX *context;
static Connection *connections;
static Histogram latencies;
static Window window;
static long dialled, shaken, failed;
static const char *failure;
static char negotiated[160];
static enum { WARMING, MEASURING, DONE } phase;

static void dial(Connection *connection);

static void on_open(Connection *connection) {
    if (!negotiated[0]) {
        FILE *file = fmemopen(negotiated, sizeof negotiated, "w");
        connection_print_tls(connection, file);
        fclose(file);
    }
    shaken++;
    histogram_add(&latencies, now_ns() - connection->began);
    connection_close(connection);
    dial(connection);
}

static void on_frame(Connection *connection, const uint8_t *body, size_t count) {
    (void)connection, (void)body, (void)count;
}

static void on_closed(Connection *connection, const char *reason) {
    failed++;
    if (!failure) failure = reason;
    // A target that refuses everything must not make this spin.
    if (failed < 1000) dial(connection);
}

static void dial(Connection *connection) {
    if (phase == DONE) return;
    Target target = options.targets[dialled % options.target_count];
    uint32_t from = options_source((int)(dialled++ % 1000000));
    connection_dial(connection, context, target.host, target.port, from);
}

static void finish(void) {
    window_end(&window);
    phase = DONE;
    printf("{\"mode\":\"accept\",\"connections\":%d,\"handshakes\":%ld,\"per_second\":%.1f,\"failed\":%ld,"
           "\"failure\":\"%s\",",
           options.connections, shaken, (double)shaken / window_seconds(&window), failed, failure ? failure : "");
    window_print(&window, stdout);
    printf(",%s,\"latency_us\":", negotiated[0] ? negotiated : "\"tls\":null");
    histogram_print(&latencies, stdout);
    fputs("}\n", stdout);
    loop_stop();
}

static void measure(void) {
    phase = MEASURING;
    histogram_reset(&latencies);
    shaken = failed = 0;
    window_begin(&window);
    loop_at(window.began + (uint64_t)(options.seconds * 1e9), finish);
}

int run_accept(void) {
    if (!options.target_count) fail("--connect is missing");
    context = client_context();
    connections = calloc((size_t)options.connections, sizeof *connections);
    if (!connections) fail("out of memory");
    loop_at(now_ns() + (uint64_t)(options.warmup * 1e9), measure);
    for (int i = 0; i < options.connections; i++) {
        connections[i].on_open = on_open;
        connections[i].on_frame = on_frame;
        connections[i].on_closed = on_closed;
        dial(&connections[i]);
    }
    loop_run();
    return 0;
}
