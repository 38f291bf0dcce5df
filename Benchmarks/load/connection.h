// A TLS connection that carries frames, on either side.
//
// Frames come out whole, however the peer cut them into records and packets. Every frame that is sent becomes a TLS
// record of its own, as Cast senders and devices do it; the records of one round leave in one write.
#pragma once
#include <openssl/ssl.h>

#include "frame.h"
#include "loop.h"

typedef struct {
    uint8_t *bytes;
    size_t start, end, capacity;
} Bytes;

typedef struct Connection {
    Source source;
    SSL *ssl;
    bool is_open, is_closed, waits_to_write;
    Bytes in, out;
    uint64_t began;
    int index;
    void *owner;
    // TLS stands.
    void (*on_open)(struct Connection *connection);
    // A frame came; `body` is without its length and valid during the call only.
    void (*on_frame)(struct Connection *connection, const uint8_t *body, size_t count);
    // The connection is gone; its memory may be freed or used again.
    void (*on_closed)(struct Connection *connection, const char *reason);
} Connection;

SSL_CTX *client_context(void);
SSL_CTX *server_context(const char *certificate_file, const char *key_file);
// Begins to connect. The callbacks must be set; on_closed may come at once.
void connection_dial(Connection *connection, SSL_CTX *context, const char *host, int port, uint32_t source_address);
// Takes an accepted descriptor.
void connection_take(Connection *connection, SSL_CTX *context, int fd);
// Encrypts a frame; it leaves at connection_flush, or when the callback that called this returns.
void connection_send(Connection *connection, const uint8_t *frame, size_t count);
void connection_flush(Connection *connection);
// Says close_notify and closes. on_closed is not called.
void connection_close(Connection *connection);
// What was negotiated, as JSON members: "tls", "cipher", "group", and whether the session was resumed.
void connection_print_tls(Connection *connection, FILE *file);
