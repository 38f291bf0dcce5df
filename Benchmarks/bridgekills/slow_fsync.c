// Loaded before the C library (LD_PRELOAD): every fsync and fdatasync takes SLOW_FSYNC_MS longer, as on a slow disk.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static void delay(void) {
    const char *text = getenv("SLOW_FSYNC_MS");
    long milliseconds = text ? atol(text) : 0;
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

int fsync(int descriptor) {
    delay();
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    return real(descriptor);
}

int fdatasync(int descriptor) {
    delay();
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    return real(descriptor);
}
