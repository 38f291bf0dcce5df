#include "mqtt.h"

#include <string.h>

#include "plain.h"

enum { CONNACK = 2, PUBLISH = 3, SUBACK = 9 };

static Plain connection;
static const char *topic_filter;
static void (*on_subscribed)(void);
static void (*on_arrived)(Slice payload);

static void closed(Plain *plain, const char *reason) {
    (void)plain;
    fail("the broker: %s", reason);
}

static void subscribe(Plain *plain) {
    uint8_t packet[256];
    size_t length = strlen(topic_filter);
    packet[0] = 0x82;
    packet[1] = (uint8_t)(length + 5);
    memcpy(packet + 2, "\0\1", 2);
    packet[4] = 0;
    packet[5] = (uint8_t)length;
    memcpy(packet + 6, topic_filter, length);
    packet[6 + length] = 0;  // QoS 0
    plain_send(plain, packet, length + 7);
}

static void take(Plain *plain, uint8_t head, Slice body) {
    switch (head >> 4) {
        case CONNACK:
            if (body.count < 2 || body.bytes[1]) fail("the broker refuses the connection");
            subscribe(plain);
            break;
        case SUBACK:
            if (body.count < 3 || body.bytes[2] & 0x80) fail("the broker refuses the subscription");
            on_subscribed();
            break;
        case PUBLISH: {
            size_t skipped = body.count < 2 ? 2 : 2 + ((size_t)body.bytes[0] << 8 | body.bytes[1]);
            if (skipped <= body.count) on_arrived((Slice){body.bytes + skipped, body.count - skipped});
            break;
        }
        default: break;
    }
}

static size_t received(Plain *plain, const char *bytes, size_t count) {
    size_t taken = 0;
    for (;;) {
        size_t at = taken + 1, length = 0;
        int shift = 0;
        bool is_whole = false;
        while (at < count && shift < 28) {
            uint8_t byte = (uint8_t)bytes[at++];
            length |= (size_t)(byte & 0x7f) << shift;
            shift += 7;
            if (!(byte & 0x80)) {
                is_whole = true;
                break;
            }
        }
        if (!is_whole || count - at < length) return taken;
        take(plain, (uint8_t)bytes[taken], (Slice){(const uint8_t *)bytes + at, length});
        taken = at + length;
    }
}

void mqtt_follow(Target broker, const char *filter, void (*subscribed)(void), void (*arrived)(Slice payload)) {
    if (strlen(filter) > 100) fail("--topic is too long");
    topic_filter = filter;
    on_subscribed = subscribed;
    on_arrived = arrived;
    connection.received = received;
    connection.closed = closed;
    plain_dial(&connection, broker);
    // CONNECT: MQTT, level 4, a clean session, no keep-alive, the broker chooses the id.
    plain_send(&connection, "\x10\x0c\0\4MQTT\4\2\0\0\0\0", 14);
}
