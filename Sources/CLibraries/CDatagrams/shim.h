// Several datagrams in one system call, and epoll(7): neither is in Swift's module of the C library.
//
// No header of the C library is included: its types would then belong to this module as well as to Swift's. The types here are
// laid out as those of <sys/socket.h> and <sys/epoll.h> on Linux, and the numbers are theirs; both are the kernel's and never
// change.
#ifndef CASTWAY_DATAGRAMS_SHIM_H
#define CASTWAY_DATAGRAMS_SHIM_H

#include <stddef.h>
#include <stdint.h>

/// A piece of memory: `struct iovec`.
struct castway_piece {
    void *base;
    size_t length;
};

/// Where a datagram is, and where it comes from or goes: `struct msghdr`.
struct castway_header {
    /// An address, as `struct sockaddr`, or nothing.
    void *name;
    uint32_t name_length;
    struct castway_piece *pieces;
    size_t piece_count;
    void *control;
    size_t control_length;
    int flags;
};

/// One datagram of a batch: `struct mmsghdr`.
struct castway_datagram {
    struct castway_header header;
    /// How long it is, as far as there was room.
    uint32_t length;
};

#if defined(__x86_64__)
#define CASTWAY_PACKED __attribute__((packed))
#else
#define CASTWAY_PACKED
#endif

/// What epoll(7) takes and gives: `struct epoll_event`.
struct castway_event {
    uint32_t events;
    uint64_t token;
} CASTWAY_PACKED;

int castway_recvmmsg(int, struct castway_datagram *, unsigned int, int, void *) __asm__("recvmmsg");
int castway_sendmmsg(int, struct castway_datagram *, unsigned int, int) __asm__("sendmmsg");
int castway_epoll_create(int) __asm__("epoll_create1");
int castway_epoll_control(int, int, int, struct castway_event *) __asm__("epoll_ctl");
int castway_epoll_wait(int, struct castway_event *, int, int) __asm__("epoll_wait");
int castway_getsockopt(int, int, int, void *, uint32_t *) __asm__("getsockopt");

/// Takes what waits at a socket, at most `count` datagrams, without waiting itself.
static inline int castway_receive(int socket, struct castway_datagram *datagrams, unsigned int count) {
    const int dontwait = 0x40;
    return castway_recvmmsg(socket, datagrams, count, dontwait, 0);
}

/// Sends datagrams, as many as the socket takes at once.
static inline int castway_send(int socket, struct castway_datagram *datagrams, unsigned int count) {
    const int dontwait = 0x40, nosignal = 0x4000;
    return castway_sendmmsg(socket, datagrams, count, dontwait | nosignal);
}

/// Whether a received datagram was longer than the room for it.
static inline int castway_is_cut(const struct castway_datagram *datagram) {
    const int truncated = 0x20;
    return (datagram->header.flags & truncated) != 0;
}

/// Copies where a received datagram was sent to at first, a `struct sockaddr` of at most `room` bytes, to `address`: what
/// IP_RECVORIGDSTADDR has the kernel tell. Returns its length; 0 when the kernel did not tell.
static inline uint32_t castway_first_destination(
    const struct castway_datagram *datagram, void *address, uint32_t room) {
    // As `struct cmsghdr`, whose content follows at once.
    struct castway_note { size_t length; int level; int type; };
    const int ip = 0, original = 20; // SOL_IP, IP_ORIGDSTADDR
    const unsigned char *next = (const unsigned char *)datagram->header.control;
    size_t left = next ? datagram->header.control_length : 0;
    while (left >= sizeof(struct castway_note)) {
        struct castway_note note;
        __builtin_memcpy(&note, next, sizeof note);
        if (note.length < sizeof note || note.length > left) return 0;
        if (note.level == ip && note.type == original) {
            size_t length = note.length - sizeof note;
            if (length > room) return 0;
            __builtin_memcpy(address, next + sizeof note, length);
            return (uint32_t)length;
        }
        size_t step = (note.length + sizeof(size_t) - 1) & ~(sizeof(size_t) - 1);
        if (step >= left) return 0;
        next += step;
        left -= step;
    }
    return 0;
}

/// Makes what `castway_watch` and `castway_wait` take; a descriptor, to be closed.
static inline int castway_epoll(void) {
    const int close_on_exec = 02000000;
    return castway_epoll_create(close_on_exec);
}

/// Watches a socket for datagrams; `token` is what `castway_wait` gives for it.
static inline int castway_watch(int epoll, int socket, uint64_t token) {
    const int add = 1;
    const uint32_t readable = 1;
    struct castway_event event = { readable, token };
    return castway_epoll_control(epoll, add, socket, &event);
}

/// Watches a socket no more; nothing is wrong when it was not watched.
static inline void castway_unwatch(int epoll, int socket) {
    const int remove = 2;
    castway_epoll_control(epoll, remove, socket, 0);
}

/// Waits for datagrams at watched sockets.
/// Returns how many tokens were written, at most 16; 0 when the time, in milliseconds, was over.
static inline int castway_wait(int epoll, uint64_t *tokens, int milliseconds) {
    struct castway_event events[16];
    int count = castway_epoll_wait(epoll, events, 16, milliseconds);
    for (int index = 0; index < count; index++) tokens[index] = events[index].token;
    return count;
}

/// How many datagrams the kernel threw away since the socket was full; 0 when it does not say.
static inline uint32_t castway_overflow(int socket) {
    const int level = 1, meminfo = 55, drops = 8; // SOL_SOCKET, SO_MEMINFO, SK_MEMINFO_DROPS
    uint32_t values[9] = { 0 };
    uint32_t length = sizeof values;
    if (castway_getsockopt(socket, level, meminfo, values, &length) != 0 || length < sizeof values) return 0;
    return values[drops];
}

#endif
