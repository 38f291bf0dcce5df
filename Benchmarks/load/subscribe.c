// Senders that listen to what devices emit: counts events, looks for lost and doubled ones, and times them. Events are
// numbered per device and say when they were sent (castdevices `emit`), on the clock of this machine.
#include <stdlib.h>
#include <string.h>

#include "fleet.h"
#include "histogram.h"
#include "modes.h"
#include "options.h"
#include "window.h"

#define NS_MEDIA "urn:x-cast:com.google.cast.media"

static Window window;
static Histogram latencies;
static uint64_t *newest;  // the number of each sender's last event
static long events, lost, doubled, closes;

// The number behind a word of a status text.
static int64_t number_behind(Slice json, const char *word) {
    const uint8_t *found = json.count ? memmem(json.bytes, json.count, word, strlen(word)) : NULL;
    if (!found) return -1;
    int64_t number = -1;
    for (const uint8_t *at = found + strlen(word); at < json.bytes + json.count && *at >= '0' && *at <= '9'; at++)
        number = (number < 0 ? 0 : number) * 10 + (*at - '0');
    return number;
}

static void on_message(Sender *sender, const Message *message) {
    if (slice_is(message->ns, NS_CONNECTION) && slice_has(message->payload, "\"CLOSE\"")) closes++;
    bool is_media = slice_is(message->ns, NS_MEDIA);
    if (!is_media && !slice_is(message->ns, NS_RECEIVER)) return;
    int64_t number = number_behind(message->payload, is_media ? "\"event\":" : "\"event ");
    int64_t sent = number_behind(message->payload, is_media ? "\"sent\":" : " sent ");
    if (number < 0 || sent < 0) return;
    events++;
    histogram_add(&latencies, now_ns() - (uint64_t)sent);
    uint64_t *last = &newest[sender->index];
    if (*last && (uint64_t)number <= *last) doubled++;
    else if (*last) lost += (long)((uint64_t)number - *last - 1);
    if ((uint64_t)number > *last) *last = (uint64_t)number;
}

static void begin(void) {
    fputs("{\"mode\":\"subscribe\",", stdout);
    fleet_print(stdout);
    fputs("}\n", stdout);
    fflush(stdout);
    window_begin(&window);
    loop_at(window.began + (uint64_t)(options.seconds * 1e9), loop_stop);
}

int run_subscribe(void) {
    newest = calloc((size_t)options.connections, sizeof *newest);
    if (!newest) fail("out of memory");
    fleet.needs_app = true;
    fleet_open(begin, on_message);
    loop_run();
    window_end(&window);
    printf("{\"mode\":\"subscribe\",\"events\":%ld,\"lost\":%ld,\"doubled\":%ld,\"app_closed\":%ld,\"closed\":%d,", events,
           lost, doubled, closes, fleet.closed);
    window_print(&window, stdout);
    fputs(",\"latency_us\":", stdout);
    histogram_print(&latencies, stdout);
    fputs("}\n", stdout);
    fleet_close();
    return 0;
}
