// What a Cast device answers, for the modes that are one.
#pragma once
#include "connection.h"

// The session and transport of the app that runs.
#define DEVICE_TRANSPORT "5f0c2d1e-7a34-4b58-9c6d-2e8f10a3b4c7"

// Answers a message of the platform: pings and requests to the receiver. Others are left alone.
void device_answer(Connection *connection, const Message *message);
