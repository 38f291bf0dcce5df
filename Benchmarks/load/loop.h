// One thread, one epoll: descriptors, one timer, and the clocks.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

// Whoever waits for a descriptor begins with this.
typedef struct Source {
    int fd;
    void (*ready)(struct Source *source, uint32_t events);
} Source;

void loop_add(Source *source, uint32_t events);
void loop_change(Source *source, uint32_t events);
// Runs until loop_stop, SIGTERM, SIGINT or SIGALRM.
void loop_run(void);
void loop_stop(void);
// Calls `tick` at this instant of now_ns, once; a later call replaces an earlier one.
void loop_at(uint64_t instant, void (*tick)(void));

// Frees memory when nothing of the present round looks at it any more.
void loop_discard(void *memory);

uint64_t now_ns(void);
// CPU time of this process, in nanoseconds.
uint64_t own_cpu_ns(void);
// CPU time of all threads of a process, those that have ended too, in nanoseconds, as the scheduler counted it.
uint64_t process_cpu_ns(int pid);
// Prints a line to standard error and exits with status 1.
void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
