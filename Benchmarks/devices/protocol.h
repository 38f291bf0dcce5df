// What a device says.
#pragma once
#include "device.h"

#define DEFAULT_APP "CC1AD845"
#define BENCH_APP "C0FFEE01"

void protocol_receive(Client *client, const Message *message);
// Tells everybody the status of the platform.
void protocol_announce(Device *device);
// A numbered event, which says when it was sent: {"event":N,"sent":NANOSECONDS} in the media status' customData, or
// `event N sent NANOSECONDS` as the app's status text.
void protocol_emit(Device *device, bool is_media);
