// A Cast device: one app runs on it, requests are answered, and the bench namespace comes back as it is.
#include "device.h"

#include <stdio.h>
#include <stdlib.h>

#include "modes.h"
#include "options.h"
#include "plain.h"

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
                 "\"namespaces\":[{\"name\":\"urn:x-cast:com.example.bench\"}],\"sessionId\":\"" DEVICE_TRANSPORT "\","
                 "\"statusText\":\"Bench\",\"transportId\":\"" DEVICE_TRANSPORT "\",\"universalAppId\":\"C0FFEE01\"}],"
                 "\"isActiveInput\":true,\"isStandBy\":false,\"userEq\":{},\"volume\":{\"controlType\":\"attenuation\","
                 "\"level\":0.5,\"muted\":false,\"stepInterval\":0.05}},\"type\":\"RECEIVER_STATUS\"}",
                 request);
    } else {
        snprintf(text, sizeof text,
                 "{\"requestId\":%lld,\"reason\":\"INVALID_COMMAND\",\"type\":\"INVALID_REQUEST\"}", request);
    }
    reply(connection, message, slice(text));
}

void device_answer(Connection *connection, const Message *message) {
    if (slice_is(message->ns, NS_HEARTBEAT)) {
        if (slice_has(message->payload, "\"PING\"")) reply(connection, message, slice("{\"type\":\"PONG\"}"));
    } else if (slice_is(message->ns, NS_RECEIVER)) {
        answer_receiver(connection, message);
    }
}

static void on_frame(Connection *connection, const uint8_t *body, size_t count) {
    Message message;
    messages++;
    if (!message_read(body, count, &message)) {
        fprintf(stderr, "castload: a malformed message\n");
    } else if (slice_is(message.ns, NS_BENCH)) {
        reply(connection, &message, message.payload);
    } else {
        device_answer(connection, &message);
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

static void on_accepted(int fd) {
    Connection *connection = calloc(1, sizeof *connection);
    if (!connection) fail("out of memory");
    connection->on_open = on_open;
    connection->on_frame = on_frame;
    connection->on_closed = on_closed;
    connection_take(connection, context, fd);
    open_now++;
}

int run_device(void) {
    if (!options.listen.host || !options.certificate || !options.key)
        fail("device needs --listen, --certificate and --key");
    context = server_context(options.certificate, options.key);
    printf("{\"listening\":%d}\n", plain_listen(options.listen, on_accepted));
    fflush(stdout);
    loop_run();
    printf("{\"mode\":\"device\",\"opened\":%ld,\"open\":%ld,\"failed\":%ld,\"messages\":%ld,\"own_cpu_us\":%.0f,%s}\n",
           opened, open_now, failed, messages, (double)own_cpu_ns() / 1e3, negotiated);
    return 0;
}
