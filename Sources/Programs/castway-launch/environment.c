#define _GNU_SOURCE
#include "environment.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char **environment_read(int descriptor, size_t size) {
    char *bytes = malloc(size + 1);
    if (bytes == NULL) { return NULL; }
    size_t length = 0;
    while (length < size) {
        const ssize_t count = read(descriptor, bytes + length, size - length);
        if (count > 0) {
            length += (size_t)count;
            continue;
        }
        if (count == 0) { break; }
        struct pollfd wait = {.fd = descriptor, .events = POLLIN};
        if ((errno != EAGAIN && errno != EINTR) || (poll(&wait, 1, -1) < 0 && errno != EINTR)) { break; }
    }
    size_t variables = 0;
    for (size_t index = 0; index < length; index++) { variables += bytes[index] == '\0'; }
    const bool is_whole = length == size && (size == 0 || bytes[size - 1] == '\0');
    char **list = is_whole ? calloc(variables + 1, sizeof *list) : NULL;
    if (list == NULL) {
        free(bytes);
        return NULL;
    }
    char *next = bytes;
    for (size_t index = 0; index < variables; index++, next += strlen(next) + 1) { list[index] = next; }
    return list;
}
