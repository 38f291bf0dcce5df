#include "pings.h"

#include "options.h"
#include "protocol.h"

enum { EVENTS_AT_ONCE = 256 };

Emission emission;
static Client *first, *last;

static void tick(void);

static uint64_t due_at(uint64_t number) { return emission.began + (uint64_t)((double)number * 1e9 / emission.rate); }

// The clock is set to whatever comes first.
static void plan(void) {
    uint64_t next = first ? first->ping_at : 0;
    if (emission.sent < emission.total) {
        uint64_t due = due_at(emission.sent);
        if (!next || due < next) next = due;
    }
    if (next) loop_at(next, tick);
}

static void unlink_client(Client *client) {
    if (client->ping_previous) client->ping_previous->ping_next = client->ping_next;
    else first = client->ping_next;
    if (client->ping_next) client->ping_next->ping_previous = client->ping_previous;
    else last = client->ping_previous;
    client->ping_next = client->ping_previous = NULL;
    client->ping_at = 0;
}

static void append(Client *client, uint64_t at) {
    client->ping_at = at;
    client->ping_previous = last;
    if (last) last->ping_next = client;
    else first = client;
    last = client;
}

void pings_await(Client *client) {
    if (options.ping <= 0 || client->ping_at) return;
    append(client, now_ns() + (uint64_t)(options.ping * 1e9));
    if (first == client) plan();
}

void pings_forget(Client *client) {
    if (client->ping_at) unlink_client(client);
}

static void ping(uint64_t now) {
    while (first && first->ping_at <= now) {
        Client *client = first;
        unlink_client(client);
        append(client, now + (uint64_t)(options.ping * 1e9));
        client_send(client, "receiver-0", slice("sender-0"), NS_HEARTBEAT, "{\"type\":\"PING\"}");
        connection_flush(&client->connection);
    }
}

static void emit(uint64_t now) {
    for (int i = 0; i < EVENTS_AT_ONCE && emission.sent < emission.total && due_at(emission.sent) <= now; i++)
        protocol_emit(&devices[emission.first + (int)(emission.sent++ % (uint64_t)emission.count)], emission.is_media);
}

static void tick(void) {
    uint64_t now = now_ns();
    ping(now);
    emit(now);
    plan();
}

void emission_begin(bool is_media, int from, int count, double rate, double seconds) {
    emission = (Emission){is_media, from, count, rate, now_ns(), (uint64_t)(rate * seconds), 0};
    plan();
}
