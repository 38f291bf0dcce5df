// Senders that are connected and do nothing but answer PINGs. Says when all are there, then waits.
#include "fleet.h"
#include "modes.h"
#include "options.h"
#include "window.h"

static Window window;

static void ignore(Sender *sender, const Message *message) { (void)sender, (void)message; }

static void begin(void) {
    fputs("{\"mode\":\"idle\",", stdout);
    fleet_print(stdout);
    fputs("}\n", stdout);
    fflush(stdout);
    window_begin(&window);
    loop_at(window.began + (uint64_t)(options.seconds * 1e9), loop_stop);
}

int run_idle(void) {
    fleet_open(begin, ignore);
    loop_run();
    window_end(&window);
    fputs("{\"mode\":\"idle\",", stdout);
    window_print(&window, stdout);
    fprintf(stdout, ",\"closed\":%d}\n", fleet.closed);
    fleet_close();
    return 0;
}
