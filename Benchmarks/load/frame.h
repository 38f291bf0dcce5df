// CastMessages in frames: a length of four bytes, big-endian, then the message (protobuf).
// Reads only what a load generator must know, and writes the fields in their usual order.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FRAME_LIMIT = 65536 + 4 };

typedef struct {
    const uint8_t *bytes;
    size_t count;
} Slice;

typedef struct {
    Slice source, destination, ns, payload;
} Message;

extern const char *const NS_CONNECTION, *const NS_HEARTBEAT, *const NS_RECEIVER, *const NS_BENCH;

Slice slice(const char *text);
bool slice_is(Slice slice, const char *text);
bool slice_has(Slice slice, const char *text);
// What stands in quotes behind `"key":`, or an empty slice.
Slice slice_string(Slice json, const char *key);
// The number behind `"key":`, or -1.
int64_t slice_number(Slice json, const char *key);

// Reads a message's fields; false when it is malformed.
bool message_read(const uint8_t *body, size_t count, Message *message);
// Writes a frame into `out`, which holds FRAME_LIMIT bytes; its length, or 0 when it does not fit.
size_t message_write(uint8_t *out, Message message);
