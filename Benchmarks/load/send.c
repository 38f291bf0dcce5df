// Round trips: closed loop (each sender keeps `depth` messages under way) or open loop (a fixed rate, whatever comes
// back, and latency counted from the instant at which a message was due).
//
// Messages come back as they are, with another content and their `requestId`, or arrive somewhere else: at an HTTP server within this
// process, or at a broker to which it subscribes. With --listen it is the app on a device, and bridges that join it are its senders.
#include <stdlib.h>
#include <string.h>

#include "fleet.h"
#include "histogram.h"
#include "http.h"
#include "modes.h"
#include "mqtt.h"
#include "options.h"
#include "window.h"

// Elsewhere than at its sender a message is known by the number alone: it has the sender's index before six digits.
enum { FIRST_NUMBER = 1000000000, NUMBERS_EACH = 1000000, SENDER_LIMIT = 900, COUNT_EACH = 1 << 19 };
static uint32_t slots = 2048;              // how many messages of a sender may be under way, a power of two
static uint64_t patience = 2000000000ull;  // then an answer counts as lost
static const uint64_t ROUND = 100000000ull;      // how often the closed loop looks for lost ones

static enum { WARMING, MEASURING, DRAINING } phase;
static Window window;
static Histogram latencies;
static uint64_t phase_ends, rate_began, rate_sent;
static long sent, answered, rejected, lost, unexpected;

static uint8_t frame[FRAME_LIMIT];
static size_t frame_count;
static uint8_t *number_at;  // the ten digits of requestId in `frame`

// MARK: The message

static void make_frame(void) {
    static char payload[FRAME_LIMIT];
    if (options.asks_status) {
        strcpy(payload, "{\"type\":\"GET_STATUS\",\"requestId\":1000000000}");
        frame_count = message_write(
            frame, (Message){slice("sender-0"), slice("receiver-0"), slice(NS_RECEIVER), slice(payload)});
    } else {
        size_t text = 1;
        // The total decides about the length of the text, and the length about the bytes that tell lengths.
        for (int round = 0; round < 4; round++) {
            char *at = stpcpy(payload, "{\"type\":\"BENCH\",\"text\":\"");
            for (size_t i = 0; i < text; i++) *at++ = "castway relays messages "[i % 24];
            strcpy(at, "\",\"requestId\":1000000000}");
            frame_count = message_write(
                frame, (Message){slice(fleet.source), slice(fleet.transport), slice(options.ns), slice(payload)});
            if (!frame_count) fail("--size is too large");
            text += (size_t)options.size + 4 - frame_count;
        }
    }
    number_at = frame + frame_count - 11;
}

static void send_one(Sender *sender, uint64_t due) {
    uint32_t number = sender->next++ % FIRST_NUMBER, digits = number;
    if (options.arrives) digits = (uint32_t)sender->index * NUMBERS_EACH + number % COUNT_EACH;
    for (int i = 9; i > 0; i--, digits /= 10) number_at[i] = (uint8_t)('0' + digits % 10);
    sender->due[number % slots] = due;
    sender->outstanding++;
    sent++;
    connection_send(&sender->connection, frame, frame_count);
}

// MARK: The answers

static void end_drained(void);

static void settle(Sender *sender, int64_t number, bool is_answer) {
    uint64_t count = (uint64_t)(number - FIRST_NUMBER);
    uint64_t *due = &sender->due[(options.arrives ? count % NUMBERS_EACH : count) % slots];
    if (number < FIRST_NUMBER || !*due) {
        unexpected++;
        return;
    }
    uint64_t now = now_ns();
    if (phase == DRAINING) {
        *due = 0;
        sender->outstanding--;
        return end_drained();
    }
    if (is_answer) {
        answered++;
        histogram_add(&latencies, now - *due);
    } else {
        rejected++;
    }
    *due = 0;
    sender->outstanding--;
    if (!options.rate) send_one(sender, now);
}

static void on_message(Sender *sender, const Message *message) {
    if (!slice_is(message->ns, options.asks_status ? NS_RECEIVER : options.ns)) return;
    Slice json = message->payload;
    int64_t number;
    bool is_answer;
    if (options.asks_status) {
        number = slice_number(json, "requestId");
        if (number == 0) return;
        is_answer = slice_has(json, "\"RECEIVER_STATUS\"");
    } else {
        // Echoes come back as they went out, so the number stands at the end; answers of back ends have it elsewhere, and anything else
        // is said by a gateway.
        is_answer = !options.arrives && json.count > 40 && slice_has(json, "\"BENCH\"");
        number = is_answer ? slice_number((Slice){json.bytes + json.count - 30, 30}, "requestId") : -1;
        if (number < 0) number = slice_number(json, "requestId");
    }
    settle(sender, number, is_answer);
}

// A message arrived at a back end.
static void on_arrival(Slice body) {
    int64_t number = slice_number(body, "requestId"), index = (number - FIRST_NUMBER) / NUMBERS_EACH;
    if (number < FIRST_NUMBER || index >= options.connections || !fleet.senders[index].due) {
        unexpected++;
        return;
    }
    settle(&fleet.senders[index], number, true);
    // The next message leaves at once, though it is another connection that was read.
    connection_flush(&fleet.senders[index].connection);
}

static size_t answer_arrival(Slice body, char *out) {
    (void)out;
    on_arrival(body);
    return 0;
}

// An answer that does not come must not end the load.
static void give_up_old(Sender *sender, uint64_t now) {
    uint32_t first = sender->next > slots ? sender->next - slots : 0;
    for (uint32_t number = first; number != sender->next; number++) {
        uint64_t *due = &sender->due[number % slots];
        if (!*due || now < *due + patience) continue;
        *due = 0;
        sender->outstanding--;
        lost++;
    }
}

// MARK: Time

static void report(void) {
    double seconds = window_seconds(&window);
    printf("{\"mode\":\"send\",\"size\":%zu,\"depth\":%d,\"rate\":%g,\"round_trips\":%ld,\"per_second\":%.1f,"
           "\"sent\":%ld,\"rejected\":%ld,\"lost\":%ld,\"unexpected\":%ld,",
           frame_count - 4, options.depth, options.rate, answered, (double)answered / seconds, sent, rejected, lost,
           unexpected);
    window_print(&window, stdout);
    fputc(',', stdout);
    fleet_print(stdout);
    fputs(",\"latency_us\":", stdout);
    histogram_print(&latencies, stdout);
    fputs("}\n", stdout);
    loop_stop();
}

// What has not arrived when patience is over is lost.
static void end_late(void) {
    for (int i = 0; i < options.connections; i++) lost += fleet.senders[i].outstanding;
    report();
}

static void end_drained(void) {
    for (int i = 0; i < options.connections; i++)
        if (fleet.senders[i].outstanding) return;
    report();
}

static void finish(void) {
    window_end(&window);
    if (!options.arrives) return report();
    // Otherwise what is still under way would arrive in the next run.
    phase = DRAINING;
    loop_at(now_ns() + patience, end_late);
    end_drained();
}

static bool phase_is_over(uint64_t now) {
    if (now < phase_ends) return false;
    if (phase == MEASURING) {
        finish();
        return true;
    }
    phase = MEASURING;
    histogram_reset(&latencies);
    sent = answered = rejected = lost = unexpected = 0;
    window_begin(&window);
    phase_ends = window.began + (uint64_t)(options.seconds * 1e9);
    return false;
}

static void tick_closed(void) {
    uint64_t now = now_ns();
    if (phase_is_over(now)) return;
    for (int i = 0; i < options.connections; i++) {
        Sender *sender = &fleet.senders[i];
        if (!sender->is_ready) continue;
        give_up_old(sender, now);
        while (sender->outstanding < options.depth) send_one(sender, now);
        connection_flush(&sender->connection);
    }
    uint64_t next = now + ROUND;
    loop_at(next < phase_ends ? next : phase_ends, tick_closed);
}

static uint64_t due_at(uint64_t number) { return rate_began + (uint64_t)((double)number * 1e9 / options.rate); }

static void tick_open(void) {
    uint64_t now = now_ns();
    if (phase_is_over(now)) return;
    while (due_at(rate_sent) <= now) {
        Sender *sender = &fleet.senders[rate_sent % (uint64_t)options.connections];
        uint64_t due = due_at(rate_sent++);
        if (!sender->is_ready) continue;
        if (sender->due[sender->next % slots]) lost++;
        send_one(sender, due);
        connection_flush(&sender->connection);
    }
    uint64_t next = due_at(rate_sent);
    loop_at(next < phase_ends ? next : phase_ends, tick_open);
}

static void begin(void) {
    make_frame();
    for (int i = 0; i < options.connections; i++) {
        fleet.senders[i].due = calloc(slots, sizeof(uint64_t));
        if (!fleet.senders[i].due) fail("out of memory");
    }
    uint64_t now = now_ns();
    phase_ends = now + (uint64_t)(options.warmup * 1e9);
    rate_began = now;
    // From the timer, not from within the callback of the sender that came last.
    loop_at(now, options.rate ? tick_open : tick_closed);
}

static void open_senders(void) {
    if (options.listen.host) app_open(begin, on_message);
    else fleet_open(begin, on_message);
}

int run_send(void) {
    fleet.needs_app = !options.asks_status;
    if (options.arrives) {
        if (options.connections > SENDER_LIMIT) fail("--arrives goes with %d senders", SENDER_LIMIT);
        // What is slow to arrive is not lost.
        slots = 1 << 15;
        patience = 20000000000ull;
    }
    if (options.arrives == ARRIVES_BY_MQTT) {
        if (!options.topic) fail("--topic is missing");
        mqtt_follow(options.arrival, options.topic, open_senders, on_arrival);
    } else {
        if (options.arrives == ARRIVES_BY_HTTP) http_serve(options.arrival, answer_arrival);
        open_senders();
    }
    loop_run();
    fleet_close();
    return 0;
}
