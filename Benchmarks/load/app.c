// The other end of a fleet: an app on a device, with the senders that join it.
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "fleet.h"
#include "options.h"
#include "plain.h"

static SSL_CTX *context;
static int taken;

static void on_open(Connection *connection) { (void)connection; }

// A sender joins by a CONNECT to the app's transport.
static void join(Sender *sender, const Message *message) {
    if (message->source.count >= sizeof fleet.transport) fail("the id of a sender is too long");
    if (fleet.transport[0] && !slice_is(message->source, fleet.transport)) fail("the senders have different ids");
    memcpy(fleet.transport, message->source.bytes, message->source.count);
    sender->is_ready = true;
    if (++fleet.ready == options.connections) fleet.on_all_ready();
}

static void on_frame(Connection *connection, const uint8_t *body, size_t count) {
    Sender *sender = connection->owner;
    Message message;
    if (!message_read(body, count, &message)) fail("a malformed message came");
    if (slice_is(message.ns, NS_CONNECTION)) {
        bool joins = slice_is(message.destination, DEVICE_TRANSPORT) && slice_has(message.payload, "\"CONNECT\"");
        if (joins && !sender->is_ready) join(sender, &message);
    } else if (slice_is(message.ns, options.ns)) {
        if (sender->is_ready) fleet.on_message(sender, &message);
    } else {
        device_answer(connection, &message);
    }
}

static void on_closed(Connection *connection, const char *reason) {
    Sender *sender = connection->owner;
    if (fleet.ready < options.connections) fail("sender %d of %d: %s", sender->index, options.connections, reason);
    if (!fleet.closed++) fleet.close_reason = reason;
    sender->is_ready = false;
}

static void on_accepted(int fd) {
    if (taken == options.connections) fail("more than %d senders came", options.connections);
    Sender *sender = &fleet.senders[taken];
    sender->index = taken++;
    sender->connection.owner = sender;
    sender->connection.on_open = on_open;
    sender->connection.on_frame = on_frame;
    sender->connection.on_closed = on_closed;
    connection_take(&sender->connection, context, fd);
}

static void too_slow(void) { fail("after 60 s, %d of %d senders have joined", fleet.ready, options.connections); }

void app_open(void (*on_all_ready)(void), void (*on_message)(Sender *sender, const Message *message)) {
    if (!options.certificate || !options.key) fail("--listen needs --certificate and --key");
    fleet.on_all_ready = on_all_ready;
    fleet.on_message = on_message;
    strcpy(fleet.source, DEVICE_TRANSPORT);
    fleet.senders = calloc((size_t)options.connections, sizeof *fleet.senders);
    if (!fleet.senders) fail("out of memory");
    context = server_context(options.certificate, options.key);
    fleet.began = now_ns();
    loop_at(fleet.began + 60000000000ull, too_slow);
    printf("{\"listening\":%d}\n", plain_listen(options.listen, on_accepted));
    fflush(stdout);
}
