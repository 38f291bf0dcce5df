#define _GNU_SOURCE
#include "CProcess.h"

#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int count;
static char **values;

/// glibc calls constructors with what main() gets, which is Swift's here.
__attribute__((constructor)) static void keep_arguments(int argument_count, char **arguments) {
    count = argument_count;
    values = arguments;
}

int castway_hide_memory(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

int castway_close_on_exec(void) { return (int)syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 1U << 2); }

int castway_argument_count(void) { return count; }

const char *castway_argument(int index) { return index >= 0 && index < count ? values[index] : NULL; }
