#include "frame.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const char *const NS_CONNECTION = "urn:x-cast:com.google.cast.tp.connection";
const char *const NS_HEARTBEAT = "urn:x-cast:com.google.cast.tp.heartbeat";
const char *const NS_RECEIVER = "urn:x-cast:com.google.cast.receiver";
const char *const NS_BENCH = "urn:x-cast:com.example.bench";

Slice slice(const char *text) { return (Slice){(const uint8_t *)text, strlen(text)}; }

bool slice_is(Slice slice, const char *text) {
    return slice.count == strlen(text) && memcmp(slice.bytes, text, slice.count) == 0;
}

bool slice_has(Slice slice, const char *text) {
    return slice.count > 0 && memmem(slice.bytes, slice.count, text, strlen(text)) != NULL;
}

// What follows `"key":` and blanks.
static Slice value_of(Slice json, const char *key) {
    char quoted[64];
    int length = snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const uint8_t *end = json.bytes + json.count;
    const uint8_t *found = json.count ? memmem(json.bytes, json.count, quoted, (size_t)length) : NULL;
    if (!found) return (Slice){NULL, 0};
    found += length;
    while (found < end && isspace(*found)) found++;
    return (Slice){found, (size_t)(end - found)};
}

Slice slice_string(Slice json, const char *key) {
    Slice value = value_of(json, key);
    if (value.count < 2 || value.bytes[0] != '"') return (Slice){NULL, 0};
    const uint8_t *quote = memchr(value.bytes + 1, '"', value.count - 1);
    if (!quote) return (Slice){NULL, 0};
    return (Slice){value.bytes + 1, (size_t)(quote - value.bytes - 1)};
}

int64_t slice_number(Slice json, const char *key) {
    Slice value = value_of(json, key);
    int64_t number = 0;
    size_t digits = 0;
    while (digits < value.count && digits < 18 && isdigit(value.bytes[digits]))
        number = number * 10 + (value.bytes[digits++] - '0');
    return digits ? number : -1;
}

static bool read_varint(const uint8_t **at, const uint8_t *end, uint64_t *value) {
    *value = 0;
    for (int shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return true;
    }
    return false;
}

bool message_read(const uint8_t *body, size_t count, Message *message) {
    const uint8_t *at = body, *end = body + count;
    memset(message, 0, sizeof *message);
    while (at < end) {
        uint64_t tag, value;
        if (!read_varint(&at, end, &tag) || !read_varint(&at, end, &value)) return false;
        if ((tag & 7) == 0) continue;
        if ((tag & 7) != 2 || value > (uint64_t)(end - at)) return false;
        Slice field = {at, (size_t)value};
        at += value;
        switch (tag >> 3) {
            case 2: message->source = field; break;
            case 3: message->destination = field; break;
            case 4: message->ns = field; break;
            case 6: message->payload = field; break;
            default: break;
        }
    }
    return message->ns.count > 0;
}

static uint8_t *write_field(uint8_t *at, uint8_t tag, Slice field) {
    *at++ = tag;
    size_t rest = field.count;
    for (; rest >= 0x80; rest >>= 7) *at++ = (uint8_t)(rest | 0x80);
    *at++ = (uint8_t)rest;
    memcpy(at, field.bytes, field.count);
    return at + field.count;
}

size_t message_write(uint8_t *out, Message message) {
    size_t texts = message.source.count + message.destination.count + message.ns.count + message.payload.count;
    if (texts + 32 > FRAME_LIMIT) return 0;
    uint8_t *at = out + 4;
    *at++ = 0x08;  // protocol_version 0
    *at++ = 0x00;
    at = write_field(at, 0x12, message.source);
    at = write_field(at, 0x1a, message.destination);
    at = write_field(at, 0x22, message.ns);
    *at++ = 0x28;  // payload_type STRING
    *at++ = 0x00;
    at = write_field(at, 0x32, message.payload);
    size_t body = (size_t)(at - out) - 4;
    out[0] = (uint8_t)(body >> 24);
    out[1] = (uint8_t)(body >> 16);
    out[2] = (uint8_t)(body >> 8);
    out[3] = (uint8_t)body;
    return body + 4;
}
