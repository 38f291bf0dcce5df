#include "device.h"

#include <arpa/inet.h>
#include <errno.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "options.h"
#include "pings.h"
#include "protocol.h"

enum { ENDS_LIMIT = 4096 };

Device *devices;
Counters counters;
static SSL_CTX *context;

// MARK: Virtual connections

static int find(const Client *client, Slice peer, bool is_app) {
    for (int i = 0; i < client->end_count; i++)
        if (client->ends[i].is_app == is_app && slice_is(peer, client->ends[i].peer)) return i;
    return -1;
}

bool client_has(const Client *client, Slice peer, bool is_app) { return find(client, peer, is_app) >= 0; }

void client_connect(Client *client, Slice peer, bool is_app) {
    if (find(client, peer, is_app) >= 0 || peer.count >= sizeof client->ends->peer) return;
    if (client->end_count == client->end_capacity) {
        if (client->end_capacity >= ENDS_LIMIT) return;
        client->end_capacity = client->end_capacity ? client->end_capacity * 2 : 2;
        client->ends = realloc(client->ends, (size_t)client->end_capacity * sizeof *client->ends);
        if (!client->ends) fail("out of memory");
    }
    Virtual *end = &client->ends[client->end_count++];
    memcpy(end->peer, peer.bytes, peer.count);
    end->peer[peer.count] = 0;
    end->is_app = is_app;
}

void client_disconnect(Client *client, Slice peer, bool is_app) {
    int at = find(client, peer, is_app);
    if (at >= 0) client->ends[at] = client->ends[--client->end_count];
}

// MARK: Sending

void client_send(Client *client, const char *source, Slice destination, const char *ns, const char *payload) {
    static uint8_t frame[FRAME_LIMIT];
    if (client->device->is_frozen) return;
    size_t count = message_write(frame, (Message){slice(source), destination, slice(ns), slice(payload)});
    if (count) connection_send(&client->connection, frame, count);
}

int device_broadcast(Device *device, bool is_app, const char *ns, const char *payload) {
    int copies = 0;
    for (Client *client = device->clients; client; client = client->next) {
        bool is_connected = false;
        for (int i = 0; i < client->end_count && !is_connected; i++) is_connected = client->ends[i].is_app == is_app;
        if (!is_connected) continue;
        client_send(client, is_app ? device->session : "receiver-0", slice("*"), ns, payload);
        connection_flush(&client->connection);
        copies++;
    }
    return copies;
}

// MARK: Connections

static void forget(Client *client) {
    Device *device = client->device;
    if (client->previous) client->previous->next = client->next;
    else device->clients = client->next;
    if (client->next) client->next->previous = client->previous;
    pings_forget(client);
    counters.connections--;
    if (client->is_online) counters.clients_online--;
    free(client->ends);
    client->ends = NULL;
    client->end_count = 0;
    loop_discard(client);
}

static void on_closed(Connection *connection, const char *reason) {
    (void)reason;
    if (!connection->is_open) counters.failed++;
    forget(connection->owner);
}

static void on_open(Connection *connection) { pings_await(connection->owner); }

static void on_frame(Connection *connection, const uint8_t *body, size_t count) {
    Message message;
    counters.messages++;
    if (message_read(body, count, &message)) protocol_receive(connection->owner, &message);
    else counters.malformed++;
}

static void end(Client *client, bool by_reset) {
    if (by_reset) {
        struct linger linger = {1, 0};
        setsockopt(client->connection.source.fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
        SSL_set_quiet_shutdown(client->connection.ssl, 1);
    }
    connection_close(&client->connection);
    forget(client);
}

static void accept_all(Source *source, uint32_t events) {
    (void)events;
    Device *device = (Device *)((char *)source - offsetof(Device, listener));
    int fd;
    if (device->is_frozen) return;
    while ((fd = accept4(source->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        Client *client = calloc(1, sizeof *client);
        if (!client) fail("out of memory");
        client->device = device;
        client->next = device->clients;
        if (device->clients) device->clients->previous = client;
        device->clients = client;
        client->connection.owner = client;
        client->connection.on_open = on_open;
        client->connection.on_frame = on_frame;
        client->connection.on_closed = on_closed;
        connection_take(&client->connection, context, fd);
        if (!counters.accepted++) counters.first_accept = now_ns();
        device->accepted++;
        counters.connections++;
    }
}

// MARK: Coming and going

void device_return(Device *device) {
    if (device->listener.fd >= 0) return;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1;
    if (fd < 0) fail("socket: %s", strerror(errno));
    int port = options.port + (options.spreads_ports ? device->index : 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (inet_pton(AF_INET, options.host, &address.sin_addr) != 1) fail("--listen needs an IPv4 address");
    if (!options.spreads_ports)
        address.sin_addr.s_addr = htonl(ntohl(address.sin_addr.s_addr) + (uint32_t)device->index);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(fd, 64) < 0)
        fail("device %d cannot listen: %s", device->index, strerror(errno));
    device->listener = (Source){fd, accept_all};
    loop_add(&device->listener, EPOLLIN);
}

void device_hang_up(Device *device, bool by_reset) {
    while (device->clients) end(device->clients, by_reset);
}

void device_leave(Device *device, bool by_reset) {
    if (device->listener.fd >= 0) close(device->listener.fd);
    device->listener.fd = -1;
    device_hang_up(device, by_reset);
}

void device_freeze(Device *device, bool is_frozen) {
    if (device->is_frozen == is_frozen) return;
    device->is_frozen = is_frozen;
    if (device->listener.fd >= 0) loop_change(&device->listener, is_frozen ? 0 : EPOLLIN);
    for (Client *client = device->clients; client; client = client->next) {
        Connection *connection = &client->connection;
        loop_change(&connection->source, is_frozen ? 0 : EPOLLIN | (connection->waits_to_write ? EPOLLOUT : 0));
    }
}

// MARK: The app

double device_position(const Device *device) {
    if (strcmp(device->player_state, "PLAYING")) return device->position;
    return device->position + (double)(now_ns() - device->position_at) / 1e9;
}

static void new_session(Device *device) {
    uint8_t bytes[16];
    RAND_bytes(bytes, sizeof bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    char *at = device->session;
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *at++ = '-';
        at += sprintf(at, "%02x", bytes[i]);
    }
    device->media_session = 0;
    device->player_state = "IDLE";
    free(device->media);
    device->media = NULL;
}

static void close_app_ends(Device *device) {
    for (Client *client = device->clients; client; client = client->next) {
        for (int i = client->end_count - 1; i >= 0; i--) {
            if (!client->ends[i].is_app) continue;
            client_send(client, device->session, slice(client->ends[i].peer), NS_CONNECTION, "{\"type\":\"CLOSE\"}");
            client->ends[i] = client->ends[--client->end_count];
        }
        connection_flush(&client->connection);
    }
}

void device_stop_app(Device *device) {
    if (!device->app[0]) return;
    close_app_ends(device);
    device->app[0] = 0;
    protocol_announce(device);
}

void device_launch(Device *device, const char *app) {
    if (device->app[0]) close_app_ends(device);
    snprintf(device->app, sizeof device->app, "%s", app);
    new_session(device);
    protocol_announce(device);
}

void device_change_session(Device *device) {
    char app[sizeof device->app];
    snprintf(app, sizeof app, "%s", device->app[0] ? device->app : DEFAULT_APP);
    device_launch(device, app);
}

void device_play(Device *device) {
    static const char media[] =
        "{\"contentId\":\"http://media.invalid/one.mp4\",\"contentType\":\"video/mp4\",\"streamType\":\"BUFFERED\","
        "\"duration\":86400,\"metadata\":{\"metadataType\":0,\"title\":\"One\"}}";
    free(device->media);
    device->media = strdup(media);
    device->media_session++;
    device->player_state = "PLAYING";
    device->position = 0;
    device->position_at = now_ns();
}

// MARK: Start

static SSL_CTX *make_context(void) {
    SSL_CTX *made = SSL_CTX_new(TLS_server_method());
    if (!made || SSL_CTX_use_certificate_chain_file(made, options.certificate) != 1 ||
        SSL_CTX_use_PrivateKey_file(made, options.key, SSL_FILETYPE_PEM) != 1)
        fail("the certificate or its key cannot be used");
    SSL_CTX_set_min_proto_version(made, TLS1_2_VERSION);
    if (options.only_tls12) SSL_CTX_set_max_proto_version(made, TLS1_2_VERSION);
    SSL_CTX_set_read_ahead(made, 1);
    SSL_CTX_set_default_read_buffer_len(made, 16384);
    SSL_CTX_set_mode(made, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_session_cache_mode(made, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_num_tickets(made, 0);
    return made;
}

void devices_start(void) {
    context = make_context();
    devices = calloc((size_t)options.devices, sizeof *devices);
    if (!devices) fail("out of memory");
    for (int i = 0; i < options.devices; i++) {
        Device *device = &devices[i];
        device->index = i;
        device->listener.fd = -1;
        device->volume = 0.5;
        device->player_state = "IDLE";
        if (options.app) device_launch(device, options.app);
        if (options.app && options.plays) device_play(device);
        device_return(device);
    }
}
