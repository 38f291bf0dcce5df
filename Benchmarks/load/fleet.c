#include "fleet.h"

#include <stdlib.h>
#include <string.h>

#include "options.h"

enum { OPENING_AT_ONCE = 64 };

Fleet fleet;
static SSL_CTX *context;
static int dialled;
static uint64_t opened_at;

static void tell(Sender *sender, const char *destination, const char *ns, const char *payload) {
    static uint8_t frame[FRAME_LIMIT];
    size_t count = message_write(frame, (Message){slice("sender-0"), slice(destination), slice(ns), slice(payload)});
    connection_send(&sender->connection, frame, count);
}

static void dial_more(void);

static void on_open(Connection *connection) {
    Sender *sender = connection->owner;
    tell(sender, "receiver-0", NS_CONNECTION, "{\"type\":\"CONNECT\"}");
    tell(sender, "receiver-0", NS_RECEIVER, "{\"type\":\"GET_STATUS\",\"requestId\":1}");
}

// A status names the app; one in which nothing runs may be followed by another, as when a relay still looks for its device.
static void join(Sender *sender, const Message *status) {
    Slice transport = slice_string(status->payload, "transportId");
    if (fleet.needs_app && !transport.count) return;
    if (transport.count >= sizeof fleet.transport) fail("the transport id is too long");
    if (transport.count) {
        memcpy(fleet.transport, transport.bytes, transport.count);
        fleet.transport[transport.count] = 0;
        tell(sender, fleet.transport, NS_CONNECTION, "{\"type\":\"CONNECT\"}");
    }
    sender->is_ready = true;
    fleet.ready++;
    if (fleet.ready == options.connections) {
        opened_at = now_ns();
        connection_flush(&sender->connection);
        fleet.on_all_ready();
    } else {
        dial_more();
    }
}

static void on_frame(Connection *connection, const uint8_t *body, size_t count) {
    Sender *sender = connection->owner;
    Message message;
    if (!message_read(body, count, &message)) fail("a malformed message came");
    if (slice_is(message.ns, NS_HEARTBEAT)) {
        if (!slice_has(message.payload, "\"PING\"")) return;
        static uint8_t frame[FRAME_LIMIT];
        Message pong = {message.destination, message.source, message.ns, slice("{\"type\":\"PONG\"}")};
        connection_send(connection, frame, message_write(frame, pong));
    } else if (sender->is_ready) {
        fleet.on_message(sender, &message);
    } else if (slice_is(message.ns, NS_CONNECTION) && slice_has(message.payload, "\"CLOSE\"")) {
        fail("sender %d was sent CLOSE", sender->index);
    } else if (slice_is(message.ns, NS_RECEIVER) &&
               (fleet.needs_app || slice_number(message.payload, "requestId") == 1)) {
        join(sender, &message);
    }
}

static void on_closed(Connection *connection, const char *reason) {
    Sender *sender = connection->owner;
    if (fleet.ready < options.connections)
        fail("sender %d of %d could not be opened: %s", sender->index, options.connections, reason);
    if (!fleet.closed++) fleet.close_reason = reason;
    sender->is_ready = false;
}

static void dial_more(void) {
    while (dialled < options.connections && dialled - fleet.ready < OPENING_AT_ONCE) {
        Sender *sender = &fleet.senders[dialled];
        Target target = options.targets[dialled % options.target_count];
        sender->index = dialled;
        sender->connection.owner = sender;
        sender->connection.on_open = on_open;
        sender->connection.on_frame = on_frame;
        sender->connection.on_closed = on_closed;
        uint32_t from = options_source(dialled++);
        connection_dial(&sender->connection, context, target.host, target.port, from);
    }
}

static void too_slow(void) {
    fail("after 60 s, %d of %d senders are connected%s", fleet.ready, options.connections,
         fleet.needs_app ? " to an app" : "");
}

void fleet_open(void (*on_all_ready)(void), void (*on_message)(Sender *sender, const Message *message)) {
    if (!options.target_count) fail("--connect is missing");
    fleet.on_all_ready = on_all_ready;
    fleet.on_message = on_message;
    strcpy(fleet.source, "sender-0");
    fleet.senders = calloc((size_t)options.connections, sizeof *fleet.senders);
    if (!fleet.senders) fail("out of memory");
    context = client_context();
    fleet.began = now_ns();
    loop_at(fleet.began + 60000000000ull, too_slow);
    dial_more();
}

void fleet_close(void) {
    for (int i = 0; i < options.connections; i++) connection_close(&fleet.senders[i].connection);
}

void fleet_print(FILE *file) {
    fprintf(file, "\"connections\":%d,\"open_seconds\":%.4f,\"closed\":%d,\"close_reason\":\"%s\",",
            options.connections, (double)(opened_at - fleet.began) / 1e9, fleet.closed,
            fleet.close_reason ? fleet.close_reason : "");
    for (int i = 0; i < options.connections; i++) {
        if (fleet.senders[i].connection.is_closed) continue;
        connection_print_tls(&fleet.senders[i].connection, file);
        return;
    }
    fputs("\"tls\":null", file);
}
