#include "plain.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void reserve(char **bytes, size_t *capacity, size_t needed) {
    if (needed <= *capacity) return;
    *capacity = needed * 2;
    *bytes = realloc(*bytes, *capacity);
    if (!*bytes) fail("out of memory");
}

void plain_close(Plain *plain) {
    if (plain->source.fd >= 0) close(plain->source.fd);
    plain->source.fd = -1;
}

static void lost(Plain *plain, const char *reason) {
    plain_close(plain);
    plain->closed(plain, reason);
}

static void flush(Plain *plain) {
    while (plain->out_count) {
        ssize_t count = send(plain->source.fd, plain->out, plain->out_count, MSG_NOSIGNAL);
        if (count < 0) {
            if (errno == EAGAIN) break;
            lost(plain, "send failed");
            return;
        }
        plain->out_count -= (size_t)count;
        memmove(plain->out, plain->out + count, plain->out_count);
    }
    bool waits = plain->out_count > 0;
    if (waits == plain->waits) return;
    plain->waits = waits;
    loop_change(&plain->source, waits ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

static void take(Plain *plain) {
    size_t taken = plain->received(plain, plain->in, plain->in_count);
    if (plain->source.fd < 0) return;
    plain->in_count -= taken;
    memmove(plain->in, plain->in + taken, plain->in_count);
}

static void ready(Source *source, uint32_t events) {
    Plain *plain = (Plain *)source;
    if (events & EPOLLOUT) {
        plain->connected = true;
        flush(plain);
        if (plain->source.fd < 0) return;
    }
    if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR))) return;
    reserve(&plain->in, &plain->in_capacity, plain->in_count + 4096);
    ssize_t count = recv(source->fd, plain->in + plain->in_count, plain->in_capacity - plain->in_count, 0);
    if (count > 0) {
        plain->in_count += (size_t)count;
        take(plain);
    } else if (count == 0) lost(plain, "closed by the peer");
    else if (errno != EAGAIN) lost(plain, plain->connected ? "receive failed" : "cannot connect");
}

void plain_dial(Plain *plain, Target target) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)target.port)};
    if (inet_pton(AF_INET, target.host, &address.sin_addr) != 1) fail("'%s' is no IPv4 address", target.host);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1;
    if (fd < 0) fail("socket: %s", strerror(errno));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    plain->source = (Source){fd, ready};
    plain->connected = false;
    plain->waits = true;
    plain->in_count = 0;
    plain->out_count = 0;
    plain->began = now_ns();
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0 && errno != EINPROGRESS)
        fail("connect: %s", strerror(errno));
    loop_add(&plain->source, EPOLLIN | EPOLLOUT);
}

void plain_take(Plain *plain, int fd) {
    int one = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    plain->source = (Source){fd, ready};
    plain->connected = true;
    plain->began = now_ns();
    loop_add(&plain->source, EPOLLIN);
}

static void (*accepted_by)(int fd);

static void accept_all(Source *source, uint32_t events) {
    (void)events;
    int fd;
    while ((fd = accept4(source->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) accepted_by(fd);
}

int plain_listen(Target target, void (*accepted)(int fd)) {
    static Source listener;
    listener = (Source){socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), accept_all};
    accepted_by = accepted;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)target.port)};
    socklen_t size = sizeof address;
    int on = 1;
    setsockopt(listener.fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (inet_pton(AF_INET, target.host, &address.sin_addr) != 1) fail("'%s' is no IPv4 address", target.host);
    if (bind(listener.fd, (struct sockaddr *)&address, size) < 0 || listen(listener.fd, 4096) < 0)
        fail("%s:%d: %s", target.host, target.port, strerror(errno));
    getsockname(listener.fd, (struct sockaddr *)&address, &size);
    loop_add(&listener, EPOLLIN);
    return ntohs(address.sin_port);
}

void plain_send(Plain *plain, const void *bytes, size_t count) {
    reserve(&plain->out, &plain->out_capacity, plain->out_count + count);
    memcpy(plain->out + plain->out_count, bytes, count);
    plain->out_count += count;
    if (plain->connected) flush(plain);
}
