#include "lifeline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static int lifeline = -1;

void lifeline_open(int descriptor) {
    lifeline = descriptor;
    fcntl(lifeline, F_SETFD, FD_CLOEXEC);
    fcntl(lifeline, F_SETFL, O_NONBLOCK);
}

int lifeline_descriptor(void) {
    return lifeline;
}

enum command lifeline_read(void) {
    char bytes[64];
    const ssize_t count = read(lifeline, bytes, sizeof bytes);
    if (count == 0) { return COMMAND_ORPHANED; }
    if (count < 0) { return errno == EAGAIN || errno == EINTR ? COMMAND_NOTHING : COMMAND_ORPHANED; }
    enum command command = COMMAND_NOTHING;
    for (ssize_t index = 0; index < count; index++) {
        if (bytes[index] == 'K') { return COMMAND_KILL; }
        if (bytes[index] == 'T') { command = COMMAND_TERMINATE; }
    }
    return command;
}

void report(const char *format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length < 0) { return; }
    if ((size_t)length > sizeof line - 2) { length = sizeof line - 2; }
    line[length] = '\n';
    // A pipe in the socket's place works too, since SIGPIPE is ignored.
    if (write(lifeline, line, (size_t)length + 1) < 0) { return; }
}
