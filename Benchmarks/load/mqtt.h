// A subscriber of MQTT 3.1.1, with QoS 0.
#pragma once
#include "frame.h"
#include "options.h"

// Subscribes; `subscribed` is called once, `arrived` with every payload. A connection that ends is a failure.
void mqtt_follow(Target broker, const char *filter, void (*subscribed)(void), void (*arrived)(Slice payload));
