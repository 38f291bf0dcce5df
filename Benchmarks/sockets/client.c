/* Opens CLIENTS WebSockets at PORT of this machine, subscribes each, and counts frames: client PORT CLIENTS [IDLE]
 * One thread, epoll. Prints the frames of each second until all sockets are closed. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct client {
    uint64_t skip; /* bytes of the payload that are still to come */
    unsigned char head[10];
    int have;
};

static const char request[] =
    "GET /api/v1/socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

static long frames(struct client *c, const unsigned char *p, size_t n) {
    long count = 0;
    while (n > 0) {
        if (c->skip > 0) {
            size_t take = c->skip < n ? c->skip : n;
            c->skip -= take, p += take, n -= take;
            continue;
        }
        c->head[c->have++] = *p++, n--;
        int need = 2;
        if (c->have >= 2) need = c->head[1] == 126 ? 4 : c->head[1] == 127 ? 10 : 2;
        if (c->have < need || c->have < 2) continue;
        uint64_t length = c->head[1];
        if (length >= 126) {
            length = 0;
            for (int i = 2; i < need; i++) length = length << 8 | c->head[i];
        }
        c->skip = length, c->have = 0, count++;
    }
    return count;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    int port = atoi(argv[1]), count = atoi(argv[2]), open = 0, poll = epoll_create1(0);
    struct client *clients = calloc((size_t)count + 65536, sizeof *clients);
    for (int i = 0; i < count; i++) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (fd < 0 || connect(fd, (void *)&to, sizeof to) < 0) return perror("connect"), 1;
        if (write(fd, request, sizeof request - 1) < 0) return perror("write"), 1;
        char answer[1024];
        size_t have = 0;
        while (have < 4 || memcmp(answer + have - 4, "\r\n\r\n", 4) != 0) {
            if (have == sizeof answer || read(fd, answer + have, 1) != 1) return perror("handshake"), 1;
            have++;
        }
        static const char wish[] = "{\"id\":1,\"subscribe\":{}}";
        unsigned char frame[6 + sizeof wish] = {0x81, 0x80 | (sizeof wish - 1), 0, 0, 0, 0};
        memcpy(frame + 6, wish, sizeof wish - 1);
        if (write(fd, frame, 6 + sizeof wish - 1) < 0) return perror("write"), 1;
        struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
        epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event);
        open++;
    }
    long second = 0;
    time_t now = time(NULL);
    static unsigned char buffer[65536];
    while (open > 0) {
        struct epoll_event events[256];
        int ready = epoll_wait(poll, events, 256, 200);
        for (int i = 0; i < ready; i++) {
            ssize_t n = read(events[i].data.fd, buffer, sizeof buffer);
            if (n <= 0) {
                close(events[i].data.fd), open--;
                continue;
            }
            second += frames(&clients[events[i].data.fd], buffer, (size_t)n);
        }
        if (time(NULL) != now) {
            now = time(NULL);
            if (second > 0) printf("%ld frames/s\n", second), fflush(stdout);
            second = 0;
        }
    }
    return 0;
}
