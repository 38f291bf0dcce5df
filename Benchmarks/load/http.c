#include "http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plain.h"

static size_t (*answer_to)(Slice body, char *out);

// The number behind `Content-Length:` in the head of a request, or -1.
static long length_of(const char *head, const char *end) {
    for (const char *line = head; line && line < end; line = memmem(line, (size_t)(end - line), "\r\n", 2)) {
        if (line != head) line += 2;
        if (!strncasecmp(line, "content-length:", 15)) return atol(line + 15);
        if (line == head) line++;
    }
    return -1;
}

static size_t received(Plain *plain, const char *bytes, size_t count) {
    static char body[FRAME_LIMIT], text[FRAME_LIMIT + 128];
    size_t taken = 0;
    for (;;) {
        const char *head = bytes + taken, *end = memmem(head, count - taken, "\r\n\r\n", 4);
        if (!end) return taken;
        end += 4;
        long length = length_of(head, end);
        if (length < 0) fail("a request has no content-length");
        if (count - (size_t)(end - bytes) < (size_t)length) return taken;
        taken = (size_t)(end - bytes) + (size_t)length;
        size_t own = answer_to((Slice){(const uint8_t *)end, (size_t)length}, body);
        int written = own ? sprintf(text, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n", own)
                          : sprintf(text, "HTTP/1.1 204 No Content\r\n\r\n");
        memcpy(text + written, body, own);
        plain_send(plain, text, (size_t)written + own);
        if (plain->source.fd < 0) return taken;
    }
}

static void closed(Plain *plain, const char *reason) {
    (void)reason;
    free(plain->in);
    free(plain->out);
    loop_discard(plain);
}

static void accepted(int fd) {
    Plain *plain = calloc(1, sizeof *plain);
    if (!plain) fail("out of memory");
    plain->received = received;
    plain->closed = closed;
    plain_take(plain, fd);
}

int http_serve(Target target, size_t (*answer)(Slice body, char *out)) {
    answer_to = answer;
    return plain_listen(target, accepted);
}
