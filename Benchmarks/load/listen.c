// WebSocket clients: each connects, sends one text frame (--body), and counts the text frames that come.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "modes.h"
#include "plain.h"
#include "window.h"

static Plain *connections;
static Window window;
static long frames, bytes_in, opened, lost;
static char failure[200];
static bool is_over;

// A text frame of a client: masked with zeros, so that the text stands as it is.
static void send_text(Plain *plain, const char *text) {
    unsigned char head[8] = {0x81};
    size_t count = strlen(text), used;
    if (count < 126) {
        head[1] = (unsigned char)(0x80 | count);
        used = 2;
    } else {
        head[1] = 0x80 | 126;
        head[2] = (unsigned char)(count >> 8);
        head[3] = (unsigned char)count;
        used = 4;
    }
    plain_send(plain, head, used);
    plain_send(plain, "\0\0\0\0", 4);
    plain_send(plain, text, count);
}

static size_t received(Plain *plain, const char *bytes, size_t count) {
    size_t taken = 0;
    if (!plain->value) {
        const char *end = memmem(bytes, count, "\r\n\r\n", 4);
        if (!end) return 0;
        if (strncmp(bytes, "HTTP/1.1 101", 12)) {
            if (!lost++) snprintf(failure, sizeof failure, "%.12s", bytes);
            plain_close(plain);
            return 0;
        }
        plain->value = 1;
        opened++;
        taken = (size_t)(end - bytes) + 4;
        if (options.body) send_text(plain, options.body);
    }
    for (;;) {
        const unsigned char *head = (const unsigned char *)bytes + taken;
        size_t left = count - taken, need = 2, length;
        if (left < 2) break;
        length = head[1] & 0x7f;
        if (length == 126) {
            need = 4;
            if (left < need) break;
            length = (size_t)head[2] << 8 | head[3];
        } else if (length == 127) {
            need = 10;
            if (left < need) break;
            length = 0;
            for (int i = 2; i < 10; i++) length = length << 8 | head[i];
        }
        if (left < need + length) break;
        int kind = head[0] & 0x0f;
        if (kind == 1) {
            frames++;
            bytes_in += (long)length;
        } else if (kind == 9) plain_send(plain, "\x8a\x80\0\0\0\0", 6);
        taken += need + length;
    }
    return taken;
}

static void closed(Plain *plain, const char *reason) {
    (void)plain;
    if (is_over) return;
    if (!lost++) snprintf(failure, sizeof failure, "%s", reason);
}

static void finish(void) {
    window_end(&window);
    is_over = true;
    printf("{\"mode\":\"listen\",\"connections\":%d,\"open\":%ld,\"lost\":%ld,\"failure\":\"%s\",\"frames\":%ld,"
           "\"bytes\":%ld,\"per_second\":%.1f,",
           options.connections, opened, lost, failure, frames, bytes_in, (double)frames / window_seconds(&window));
    window_print(&window, stdout);
    fputs("}\n", stdout);
    loop_stop();
}

static void measure(void) {
    frames = bytes_in = 0;
    // Others begin to make something happen when all are there.
    printf("{\"listening\":%ld}\n", opened);
    fflush(stdout);
    window_begin(&window);
    loop_at(window.began + (uint64_t)(options.seconds * 1e9), finish);
}

int run_listen(void) {
    if (!options.target_count || !options.path) fail("--connect or --path is missing");
    connections = calloc((size_t)options.connections, sizeof *connections);
    if (!connections) fail("out of memory");
    char text[1024];
    int count = snprintf(
        text, sizeof text,
        "GET %s HTTP/1.1\r\nHost: %s:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s%s%s\r\n",
        options.path, options.targets[0].host, options.targets[0].port,
        options.token ? "Authorization: Bearer " : "", options.token ? options.token : "", options.token ? "\r\n" : "");
    for (int i = 0; i < options.connections; i++) {
        connections[i].received = received;
        connections[i].closed = closed;
        plain_dial(&connections[i], options.targets[i % options.target_count]);
        plain_send(&connections[i], text, (size_t)count);
    }
    loop_at(now_ns() + (uint64_t)(options.warmup * 1e9), measure);
    loop_run();
    return 0;
}
