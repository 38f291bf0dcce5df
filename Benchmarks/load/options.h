// What the command line says.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { TARGET_LIMIT = 8, WATCH_LIMIT = 8 };

typedef struct {
    const char *host;
    int port;
} Target;

typedef struct {
    const char *mode;
    Target targets[TARGET_LIMIT];  // --connect, may be repeated: connections are dealt out in turn
    int target_count;
    Target listen;
    const char *certificate, *key;
    int connections, depth, size;
    double rate;  // messages sent per second over all connections; 0: as fast as the answers come
    double seconds, warmup;
    int sources;  // how many addresses of 127.0.0.0/8 to come from; 0: the system's choice
    const char *method, *path, *body, *token;  // of requests over HTTP
    bool asks_status;
    const char *ns;  // --namespace of the messages that are sent
    enum { ARRIVES_BACK, ARRIVES_BY_HTTP, ARRIVES_BY_MQTT } arrives;  // --arrives: where messages come out
    Target arrival;       // where the back end listens, or the broker
    const char *topic;    // --topic: the filter of an MQTT subscription
    int watched[WATCH_LIMIT];  // processes whose CPU time is measured over the window
    int watched_count;
} Options;

extern Options options;

void options_read(int count, char **words);
// The address from which the connection of this number comes, in host order, or 0.
uint32_t options_source(int index);
