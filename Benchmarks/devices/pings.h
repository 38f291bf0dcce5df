// The PINGs that devices send, and the events that they were told to emit: everything that happens by the clock.
#pragma once
#include "device.h"

void pings_await(Client *client);
void pings_forget(Client *client);

typedef struct {
    bool is_media;
    int first, count;   // which devices
    double rate;        // events a second, all devices together
    uint64_t began, total, sent;
} Emission;

extern Emission emission;

void emission_begin(bool is_media, int first, int count, double rate, double seconds);
