#include "loop.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int epoll = -1;
static volatile sig_atomic_t stopped;
static void (*timer_tick)(void);
static Source timer = {.fd = -1};

static struct {
    void **memory;
    size_t count, capacity;
} discarded;

static void on_signal(int signal) {
    (void)signal;
    stopped = 1;
}

static void prepare(void) {
    if (epoll >= 0) return;
    epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0) fail("epoll_create1: %s", strerror(errno));
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGALRM, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static void control(int operation, Source *source, uint32_t events) {
    prepare();
    struct epoll_event event = {.events = events, .data.ptr = source};
    if (epoll_ctl(epoll, operation, source->fd, &event) < 0) fail("epoll_ctl: %s", strerror(errno));
}

void loop_add(Source *source, uint32_t events) { control(EPOLL_CTL_ADD, source, events); }
void loop_change(Source *source, uint32_t events) { control(EPOLL_CTL_MOD, source, events); }
void loop_stop(void) { stopped = 1; }

void loop_run(void) {
    struct epoll_event events[256];
    prepare();
    while (!stopped) {
        int count = epoll_wait(epoll, events, 256, -1);
        if (count < 0 && errno != EINTR) fail("epoll_wait: %s", strerror(errno));
        for (int i = 0; i < count; i++) {
            Source *source = events[i].data.ptr;
            source->ready(source, events[i].events);
        }
        while (discarded.count) free(discarded.memory[--discarded.count]);
    }
}

void loop_discard(void *memory) {
    if (discarded.count == discarded.capacity) {
        discarded.capacity = discarded.capacity ? discarded.capacity * 2 : 256;
        discarded.memory = realloc(discarded.memory, discarded.capacity * sizeof *discarded.memory);
        if (!discarded.memory) fail("out of memory");
    }
    discarded.memory[discarded.count++] = memory;
}

static void timer_ready(Source *source, uint32_t events) {
    (void)events;
    uint64_t expirations;
    if (read(source->fd, &expirations, sizeof expirations) == sizeof expirations) timer_tick();
}

void loop_at(uint64_t instant, void (*tick)(void)) {
    if (timer.fd < 0) {
        timer.fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
        if (timer.fd < 0) fail("timerfd_create: %s", strerror(errno));
        timer.ready = timer_ready;
        loop_add(&timer, EPOLLIN);
    }
    timer_tick = tick;
    if (instant == 0) instant = 1;
    struct itimerspec spec = {
        .it_value = {.tv_sec = (time_t)(instant / 1000000000), .tv_nsec = (long)(instant % 1000000000)}};
    timerfd_settime(timer.fd, TFD_TIMER_ABSTIME, &spec, NULL);
}

static uint64_t clock_ns(clockid_t id) {
    struct timespec time;
    clock_gettime(id, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }
uint64_t own_cpu_ns(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

// The scheduler's count of all threads, those that have ended too.
uint64_t process_cpu_ns(int pid) {
    clockid_t id;
    if (clock_getcpuclockid(pid, &id) != 0) fail("no process %d", pid);
    return clock_ns(id);
}

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("castload: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}
