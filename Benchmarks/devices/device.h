// The devices: their sockets, what runs on them, and who is connected.
#pragma once
#include <stdint.h>

#include "connection.h"

// Somebody's end at this device: the id of the peer, and whether the app's end or the platform's is meant.
typedef struct {
    char peer[64];
    bool is_app;
} Virtual;

typedef struct Client {
    Connection connection;
    struct Device *device;
    struct Client *next, *previous;
    Virtual *ends;
    int end_count, end_capacity;
    bool is_online;  // was answered a GET_STATUS, so whoever it is may call the device connected
    // The queue of those who are to be pinged, first one first.
    uint64_t ping_at;
    struct Client *ping_next, *ping_previous;
} Client;

typedef struct Device {
    int index;
    Source listener;  // fd is -1 while it is away
    bool is_frozen;
    Client *clients;
    char app[16];      // empty: none
    char session[40];  // transport id too
    double volume;
    bool is_muted;
    int media_session;  // 0: nothing was loaded yet
    const char *player_state;
    double position;  // seconds, at `position_at`
    uint64_t position_at;
    char *media;  // the `media` of LOAD as it came
    uint64_t events;  // numbers the events that were ordered
    // What senders did here.
    long launches, stops, loads, commands, accepted;
} Device;

typedef struct {
    long accepted, failed, messages, malformed, events, event_copies;
    int connections, clients_online;
    uint64_t first_accept, last_online;
} Counters;

extern Device *devices;
extern Counters counters;

void devices_start(void);

// A device goes: its socket is closed and every connection with it, by RST or in good order.
void device_leave(Device *device, bool by_reset);
// It listens again. Fails the program when the address is taken.
void device_return(Device *device);
// Reads, answers and accepts nothing, as a device whose processor hangs.
void device_freeze(Device *device, bool is_frozen);
void device_hang_up(Device *device, bool by_reset);

void device_launch(Device *device, const char *app);
// Ends the app: CLOSE to those who are connected to it, then a status without it.
void device_stop_app(Device *device);
// The app is there, in another session: what a restart looks like.
void device_change_session(Device *device);
// Loads media that came from nobody.
void device_play(Device *device);
double device_position(const Device *device);

void client_send(Client *client, const char *source, Slice destination, const char *ns, const char *payload);
// To everybody who is connected to the platform, or to the app. Returns to how many.
int device_broadcast(Device *device, bool is_app, const char *ns, const char *payload);
bool client_has(const Client *client, Slice peer, bool is_app);
void client_connect(Client *client, Slice peer, bool is_app);
void client_disconnect(Client *client, Slice peer, bool is_app);
