// One TCP connection without TLS: what is to be sent waits until it fits, and what comes is collected until it is taken.
#pragma once
#include <stddef.h>

#include "loop.h"
#include "options.h"

typedef struct Plain {
    Source source;
    // Called with all that has come and is not taken yet; gives back how much of it is taken.
    size_t (*received)(struct Plain *plain, const char *bytes, size_t count);
    void (*closed)(struct Plain *plain, const char *reason);
    char *in, *out;
    size_t in_count, in_capacity, out_count, out_capacity;
    bool connected, waits;  // waits: for room to send
    int number;
    uint64_t began;
    long value;
} Plain;

// Dials the target; what is sent before the connection is there waits.
void plain_dial(Plain *plain, Target target);
// Takes a descriptor that was accepted.
void plain_take(Plain *plain, int fd);
// Listens; calls `accepted` with each descriptor. Gives the port.
int plain_listen(Target target, void (*accepted)(int fd));
void plain_send(Plain *plain, const void *bytes, size_t count);
void plain_close(Plain *plain);
