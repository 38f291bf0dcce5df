// A Cast device: one app runs on it, requests are answered, and the bench namespace comes back as it is.
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connection.h"
#include "modes.h"
#include "options.h"

#define TRANSPORT "5f0c2d1e-7a34-4b58-9c6d-2e8f10a3b4c7"

static SSL_CTX *context;
static long open_now, opened, failed, messages;
static char negotiated[160] = "\"tls\":null";

static void reply(Connection *connection, const Message *message, Slice payload) {
    static uint8_t frame[FRAME_LIMIT];
    size_t count = message_write(frame, (Message){message->destination, message->source, message->ns, payload});
    if (count) connection_send(connection, frame, count);
}

static void answer_receiver(Connection *connection, const Message *message) {
    static char text[1024];
    long long request = slice_number(message->payload, "requestId");
    if (request <= 0) return;
    Slice type = slice_string(message->payload, "type");
    if (slice_is(type, "GET_STATUS") || slice_is(type, "LAUNCH") || slice_is(type, "SET_VOLUME")) {
        snprintf(text, sizeof text,
                 "{\"requestId\":%lld,\"status\":{\"applications\":[{\"appId\":\"C0FFEE01\",\"appType\":\"WEB\","
                 "\"displayName\":\"Bench\",\"iconUrl\":\"\",\"isIdleScreen\":false,\"launchedFromCloud\":false,"
                 "\"namespaces\":[{\"name\":\"urn:x-cast:com.example.bench\"}],\"sessionId\":\"" TRANSPORT "\","
                 "\"statusText\":\"Bench\",\"transportId\":\"" TRANSPORT "\",\"universalAppId\":\"C0FFEE01\"}],"
                 "\"isActiveInput\":true,\"isStandBy\":false,\"userEq\":{},\"volume\":{\"controlType\":\"attenuation\","
                 "\"level\":0.5,\"muted\":false,\"stepInterval\":0.05}},\"type\":\"RECEIVER_STATUS\"}",
                 request);
    } else {
        snprintf(text, sizeof text,
                 "{\"requestId\":%lld,\"reason\":\"INVALID_COMMAND\",\"type\":\"INVALID_REQUEST\"}", request);
    }
    reply(connection, message, slice(text));
}

static void on_frame(Connection *connection, const uint8_t *body, size_t count) {
    Message message;
    messages++;
    if (!message_read(body, count, &message)) {
        fprintf(stderr, "castload: a malformed message\n");
    } else if (slice_is(message.ns, NS_BENCH)) {
        reply(connection, &message, message.payload);
    } else if (slice_is(message.ns, NS_HEARTBEAT)) {
        if (slice_has(message.payload, "\"PING\"")) reply(connection, &message, slice("{\"type\":\"PONG\"}"));
    } else if (slice_is(message.ns, NS_RECEIVER)) {
        answer_receiver(connection, &message);
    }
}

static void on_open(Connection *connection) {
    opened++;
    FILE *file = fmemopen(negotiated, sizeof negotiated, "w");
    if (!file) return;
    connection_print_tls(connection, file);
    fclose(file);
}

static void on_closed(Connection *connection, const char *reason) {
    (void)reason;
    if (!connection->is_open) failed++;
    open_now--;
    loop_discard(connection);
}

static void accept_all(Source *source, uint32_t events) {
    (void)events;
    int fd;
    while ((fd = accept4(source->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        Connection *connection = calloc(1, sizeof *connection);
        if (!connection) fail("out of memory");
        connection->on_open = on_open;
        connection->on_frame = on_frame;
        connection->on_closed = on_closed;
        connection_take(connection, context, fd);
        open_now++;
    }
}

int run_device(void) {
    if (!options.listen.host || !options.certificate || !options.key)
        fail("device needs --listen, --certificate and --key");
    context = server_context(options.certificate, options.key);
    Source listener = {socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), accept_all};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options.listen.port)};
    socklen_t size = sizeof address;
    int on = 1;
    setsockopt(listener.fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (inet_pton(AF_INET, options.listen.host, &address.sin_addr) != 1) fail("--listen needs an IPv4 address");
    if (bind(listener.fd, (struct sockaddr *)&address, size) < 0 || listen(listener.fd, 4096) < 0)
        fail("%s:%d: %s", options.listen.host, options.listen.port, strerror(errno));
    getsockname(listener.fd, (struct sockaddr *)&address, &size);
    loop_add(&listener, EPOLLIN);
    printf("{\"listening\":%d}\n", ntohs(address.sin_port));
    fflush(stdout);
    loop_run();
    printf("{\"mode\":\"device\",\"opened\":%ld,\"open\":%ld,\"failed\":%ld,\"messages\":%ld,\"own_cpu_us\":%.0f,%s}\n",
           opened, open_now, failed, messages, (double)own_cpu_ns() / 1e3, negotiated);
    return 0;
}
