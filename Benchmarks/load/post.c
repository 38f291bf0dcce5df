// HTTP requests with a body on connections that are kept: each is sent when the one before it has been answered. A number sign in the
// body is replaced by 0 or 1 in turn, so that each request asks for something else than the one before.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "histogram.h"
#include "modes.h"
#include "plain.h"
#include "window.h"

static Plain *connections;
static Histogram latencies;
static Window window;
static long answered, failed;
static char failure[200];
static bool is_over;
static uint64_t next_due;

static void ask(Plain *plain) {
    char body[2048], text[4096];
    snprintf(body, sizeof body, "%s", options.body ? options.body : "{}");
    char *mark = strchr(body, '#');
    if (mark) *mark = (plain->value++ & 1) ? '1' : '0';
    int count = snprintf(
        text, sizeof text, "%s %s HTTP/1.1\r\nHost: %s:%d\r\nContent-Type: application/json\r\n%s%s%sContent-Length: %zu\r\n\r\n%s",
        options.method, options.path, options.targets[0].host, options.targets[0].port,
        options.token ? "Authorization: Bearer " : "", options.token ? options.token : "", options.token ? "\r\n" : "",
        strlen(body), body);
    plain->began = now_ns();
    plain_send(plain, text, (size_t)count);
}

// Asks at once, or when the rate of all connections allows.
static void again(Plain *plain) {
    if (!is_over) ask(plain);
}

static size_t received(Plain *plain, const char *bytes, size_t count) {
    const char *end = memmem(bytes, count, "\r\n\r\n", 4);
    if (!end) return 0;
    size_t head = (size_t)(end - bytes) + 4, length = 0;
    for (const char *line = bytes; line && line < end; line = memmem(line, (size_t)(end - line), "\r\n", 2)) {
        if (line != bytes) line += 2;
        if (!strncasecmp(line, "content-length:", 15)) length = (size_t)atol(line + 15);
        if (line == bytes) line++;
    }
    if (count < head + length) return 0;
    int status = atoi(bytes + 9);
    if (status >= 200 && status < 300) answered++;
    else {
        if (!failed++) snprintf(failure, sizeof failure, "%d", status);
    }
    histogram_add(&latencies, now_ns() - plain->began);
    again(plain);
    return head + length;
}

static void closed(Plain *plain, const char *reason) {
    if (is_over) return;
    if (!failed++) snprintf(failure, sizeof failure, "%s", reason);
    if (failed < 1000) {
        plain_dial(plain, options.targets[0]);
        ask(plain);
    }
}

static void finish(void) {
    window_end(&window);
    is_over = true;
    printf("{\"mode\":\"post\",\"connections\":%d,\"answers\":%ld,\"per_second\":%.1f,\"failed\":%ld,\"failure\":\"%s\",",
           options.connections, answered, (double)answered / window_seconds(&window), failed, failure);
    window_print(&window, stdout);
    fputs(",\"latency_us\":", stdout);
    histogram_print(&latencies, stdout);
    fputs("}\n", stdout);
    loop_stop();
}

static void tick(void) {
    uint64_t now = now_ns();
    if (now >= window.began + (uint64_t)(options.seconds * 1e9)) return finish();
    if (!options.rate) return loop_at(window.began + (uint64_t)(options.seconds * 1e9), tick);
    // At a rate one connection asks again and again, whatever has been answered.
    ask(&connections[0]);
    next_due += (uint64_t)(1e9 / options.rate);
    loop_at(next_due, tick);
}

static void measure(void) {
    histogram_reset(&latencies);
    answered = failed = 0;
    window_begin(&window);
    next_due = window.began;
    tick();
}

static size_t counted(Plain *plain, const char *bytes, size_t count) {
    (void)plain;
    for (const char *at = bytes; (at = memmem(at, count - (size_t)(at - bytes), "HTTP/1.1 2", 10)); at++) answered++;
    return count;
}

int run_post(void) {
    if (!options.target_count || !options.path) fail("--connect or --path is missing");
    int count = options.rate ? 1 : options.connections;
    connections = calloc((size_t)count, sizeof *connections);
    if (!connections) fail("out of memory");
    for (int i = 0; i < count; i++) {
        connections[i].received = options.rate ? counted : received;
        connections[i].closed = closed;
        plain_dial(&connections[i], options.targets[0]);
        if (!options.rate) ask(&connections[i]);
    }
    loop_at(now_ns() + (uint64_t)(options.warmup * 1e9), measure);
    loop_run();
    return 0;
}
