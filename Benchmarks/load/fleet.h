// Many senders: opens them as a sender does it, and keeps them alive.
#pragma once
#include <stddef.h>

#include "connection.h"

typedef struct Sender {
    Connection connection;
    bool is_ready;
    int index;
    // For the modes: when each outstanding request was due, and the next request's number.
    uint64_t *due;
    uint32_t next;
    int outstanding;
} Sender;

typedef struct {
    Sender *senders;
    int ready, closed;
    uint64_t began;           // when the first one was dialled
    const char *close_reason;  // of the first one that was closed
    char transport[128];      // of the app that runs on the device; where messages go to
    char source[128];         // where messages come from
    bool needs_app;  // set before fleet_open: a sender is ready once an app runs
    // All senders are ready.
    void (*on_all_ready)(void);
    // A message that is no matter of the fleet's own.
    void (*on_message)(Sender *sender, const Message *message);
} Fleet;

extern Fleet fleet;

// Begins to open options.connections senders; a failure while they open ends the program.
void fleet_open(void (*on_all_ready)(void), void (*on_message)(Sender *sender, const Message *message));
// Listens as a device does, and waits for options.connections senders that join its app; messages go to them.
void app_open(void (*on_all_ready)(void), void (*on_message)(Sender *sender, const Message *message));
void fleet_close(void);
// Prints JSON members: "connections", "open_seconds", "closed", "close_reason" and what TLS negotiated.
void fleet_print(FILE *file);
