/* Sends back what it reads: the least that a process behind a socket can do. */
#include <unistd.h>

int main(void) {
    static char bytes[1 << 16];
    for (;;) {
        const ssize_t length = read(0, bytes, sizeof bytes);
        if (length <= 0) { return 0; }
        for (ssize_t written = 0; written < length;) {
            const ssize_t count = write(1, bytes + written, (size_t)(length - written));
            if (count < 0) { return 1; }
            written += count;
        }
    }
}
