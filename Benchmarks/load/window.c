#include "window.h"

#include "loop.h"
#include "options.h"

void window_begin(Window *window) {
    for (int i = 0; i < options.watched_count; i++) window->watched[i] = process_cpu_ns(options.watched[i]);
    window->own = own_cpu_ns();
    window->began = now_ns();
}

void window_end(Window *window) {
    window->ended = now_ns();
    window->own = own_cpu_ns() - window->own;
    for (int i = 0; i < options.watched_count; i++)
        window->watched[i] = process_cpu_ns(options.watched[i]) - window->watched[i];
}

double window_seconds(const Window *window) { return (double)(window->ended - window->began) / 1e9; }

void window_print(const Window *window, FILE *file) {
    fprintf(file, "\"seconds\":%.4f,\"own_cpu_us\":%.0f,\"watched_cpu_us\":[", window_seconds(window),
            (double)window->own / 1e3);
    for (int i = 0; i < options.watched_count; i++)
        fprintf(file, "%s%.0f", i ? "," : "", (double)window->watched[i] / 1e3);
    fputc(']', file);
}
