#include "connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// MARK: Bytes

static void bytes_append(Bytes *bytes, const void *from, size_t count) {
    if (bytes->start == bytes->end) bytes->start = bytes->end = 0;
    if (bytes->end + count > bytes->capacity) {
        if (bytes->start) {
            memmove(bytes->bytes, bytes->bytes + bytes->start, bytes->end - bytes->start);
            bytes->end -= bytes->start;
            bytes->start = 0;
        }
        while (bytes->end + count > bytes->capacity) bytes->capacity = bytes->capacity ? bytes->capacity * 2 : 4096;
        bytes->bytes = realloc(bytes->bytes, bytes->capacity);
        if (!bytes->bytes) fail("out of memory");
    }
    memcpy(bytes->bytes + bytes->end, from, count);
    bytes->end += count;
}

static void bytes_free(Bytes *bytes) {
    free(bytes->bytes);
    memset(bytes, 0, sizeof *bytes);
}

// MARK: What OpenSSL writes is collected here, so that many records leave in one write

static int collect(BIO *bio, const char *data, int count) {
    Connection *connection = BIO_get_data(bio);
    bytes_append(&connection->out, data, (size_t)count);
    return count;
}

static long collect_control(BIO *bio, int command, long number, void *pointer) {
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

static BIO *collecting_bio(Connection *connection) {
    static BIO_METHOD *method;
    if (!method) {
        method = BIO_meth_new(BIO_TYPE_SOURCE_SINK | BIO_get_new_index(), "collect");
        BIO_meth_set_write(method, collect);
        BIO_meth_set_ctrl(method, collect_control);
    }
    BIO *bio = BIO_new(method);
    BIO_set_data(bio, connection);
    BIO_set_init(bio, 1);
    return bio;
}

// MARK: TLS

static void configure(SSL_CTX *context) {
    if (!context) fail("no TLS context");
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256");
    SSL_CTX_set1_groups_list(context, "X25519");
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_default_read_buffer_len(context, 65536);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

// Looking for a chain of issuers would be the load generator's own cost; that the peer has the key is still checked.
static int believe(X509_STORE_CTX *store, void *unused) {
    (void)store, (void)unused;
    return 1;
}

SSL_CTX *client_context(void) {
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());
    configure(context);
    SSL_CTX_set_cert_verify_callback(context, believe, NULL);
    return context;
}

SSL_CTX *server_context(const char *certificate_file, const char *key_file) {
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    configure(context);
    SSL_CTX_set_num_tickets(context, 0);
    if (SSL_CTX_use_certificate_chain_file(context, certificate_file) != 1) fail("%s: no certificate", certificate_file);
    if (SSL_CTX_use_PrivateKey_file(context, key_file, SSL_FILETYPE_PEM) != 1) fail("%s: no key", key_file);
    return context;
}

void connection_print_tls(Connection *connection, FILE *file) {
    int group = SSL_get_shared_group(connection->ssl, 0);
    if (!SSL_is_server(connection->ssl)) group = SSL_get_negotiated_group(connection->ssl);
    const char *name = SSL_group_to_name(connection->ssl, group);
    fprintf(file, "\"tls\":\"%s\",\"cipher\":\"%s\",\"group\":\"%s\",\"resumed\":%s", SSL_get_version(connection->ssl),
            SSL_get_cipher_name(connection->ssl), name ? name : "unknown",
            SSL_session_reused(connection->ssl) ? "true" : "false");
}

// MARK: Life

static void end(Connection *connection, const char *reason) {
    connection_close(connection);
    connection->on_closed(connection, reason);
}

void connection_close(Connection *connection) {
    if (connection->is_closed) return;
    connection->is_closed = true;
    if (connection->is_open) {
        SSL_shutdown(connection->ssl);
        connection_flush(connection);
    }
    ERR_clear_error();
    SSL_free(connection->ssl);
    close(connection->source.fd);
    bytes_free(&connection->in);
    bytes_free(&connection->out);
}

// Hands out the whole frames in `bytes`; gives how many bytes they were, or -1 when the peer speaks something else.
static ssize_t deliver(Connection *connection, const uint8_t *bytes, size_t count) {
    size_t at = 0;
    while (count - at >= 4 && !connection->is_closed) {
        size_t body = (size_t)bytes[at] << 24 | (size_t)bytes[at + 1] << 16 | (size_t)bytes[at + 2] << 8 | bytes[at + 3];
        if (body + 4 > FRAME_LIMIT) return -1;
        if (count - at < body + 4) break;
        connection->on_frame(connection, bytes + at + 4, body);
        at += body + 4;
    }
    return (ssize_t)at;
}

static const char *take_in(Connection *connection, const uint8_t *bytes, size_t count) {
    bool is_whole = connection->in.start == connection->in.end;
    if (!is_whole) {
        bytes_append(&connection->in, bytes, count);
        bytes = connection->in.bytes + connection->in.start;
        count = connection->in.end - connection->in.start;
    }
    ssize_t used = deliver(connection, bytes, count);
    if (connection->is_closed) return NULL;
    if (used < 0) return "a frame is too large";
    if (!is_whole)
        connection->in.start += (size_t)used;
    else if ((size_t)used < count)
        bytes_append(&connection->in, bytes + used, count - (size_t)used);
    return NULL;
}

static void read_all(Connection *connection) {
    static uint8_t buffer[65536];
    do {
        int count = SSL_read(connection->ssl, buffer, sizeof buffer);
        if (count <= 0) {
            int error = SSL_get_error(connection->ssl, count);
            if (error == SSL_ERROR_WANT_READ) return;
            ERR_clear_error();
            end(connection, error == SSL_ERROR_ZERO_RETURN ? "the peer closed" : "the connection broke");
            return;
        }
        const char *problem = take_in(connection, buffer, (size_t)count);
        if (problem) end(connection, problem);
        if (connection->is_closed) return;
    } while (SSL_has_pending(connection->ssl));
}

static void shake_hands(Connection *connection) {
    int result = SSL_do_handshake(connection->ssl);
    if (result == 1) {
        connection->is_open = true;
        connection->on_open(connection);
    } else if (SSL_get_error(connection->ssl, result) != SSL_ERROR_WANT_READ) {
        ERR_clear_error();
        end(connection, "the handshake failed");
    }
}

static void ready(Source *source, uint32_t events) {
    Connection *connection = (Connection *)source;
    // Another source's callback closed it in this round.
    if (connection->is_closed) return;
    uint64_t life = connection->began;
    if (!connection->is_open) {
        int error = 0;
        socklen_t size = sizeof error;
        if (events & (EPOLLERR | EPOLLHUP) && getsockopt(source->fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error) {
            end(connection, strerror(error));
            return;
        }
        shake_hands(connection);
        if (connection->is_closed || connection->began != life) return;
    }
    if (connection->is_open && events & (EPOLLIN | EPOLLERR | EPOLLHUP)) read_all(connection);
    // A callback may have closed this connection, and even dialled a new one in its place.
    if (!connection->is_closed && connection->began == life) connection_flush(connection);
}

static void start(Connection *connection, SSL_CTX *context, int fd, uint32_t events) {
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connection->source = (Source){fd, ready};
    connection->ssl = SSL_new(context);
    if (!connection->ssl) fail("no TLS connection");
    SSL_set_bio(connection->ssl, BIO_new_socket(fd, BIO_NOCLOSE), collecting_bio(connection));
    connection->is_open = connection->is_closed = false;
    connection->waits_to_write = events & EPOLLOUT;
    connection->began = now_ns();
    loop_add(&connection->source, events);
}

void connection_dial(Connection *connection, SSL_CTX *context, const char *host, int port, uint32_t source_address) {
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) fail("socket: %s", strerror(errno));
    if (source_address) {
        int on = 1;
        setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
        struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(source_address)};
        if (bind(fd, (struct sockaddr *)&from, sizeof from) < 0) fail("bind: %s", strerror(errno));
    }
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (inet_pton(AF_INET, host, &to.sin_addr) != 1) fail("%s is no IPv4 address", host);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0 && errno != EINPROGRESS) {
        const char *reason = strerror(errno);
        close(fd);
        connection->is_closed = true;
        connection->on_closed(connection, reason);
        return;
    }
    start(connection, context, fd, EPOLLIN | EPOLLOUT);
    SSL_set_connect_state(connection->ssl);
}

void connection_take(Connection *connection, SSL_CTX *context, int fd) {
    start(connection, context, fd, EPOLLIN);
    SSL_set_accept_state(connection->ssl);
}

void connection_send(Connection *connection, const uint8_t *frame, size_t count) {
    if (!connection->is_closed && SSL_write(connection->ssl, frame, (int)count) <= 0) ERR_clear_error();
}

void connection_flush(Connection *connection) {
    Bytes *out = &connection->out;
    while (out->start < out->end) {
        ssize_t count = send(connection->source.fd, out->bytes + out->start, out->end - out->start, MSG_NOSIGNAL);
        if (count < 0) break;
        out->start += (size_t)count;
    }
    bool must_wait = out->start < out->end;
    if (must_wait != connection->waits_to_write && !connection->is_closed) {
        connection->waits_to_write = must_wait;
        loop_change(&connection->source, must_wait ? EPOLLIN | EPOLLOUT : EPOLLIN);
    }
    if (!must_wait && out->capacity > 65536) bytes_free(out);
}
