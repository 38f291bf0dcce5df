// What the command line says.
#pragma once
#include <stdbool.h>

typedef struct {
    int devices;
    const char *host;      // of the first device
    int port;              // of the first device
    bool spreads_ports;    // each has the next port; otherwise each has the next address
    const char *certificate, *key;
    const char *control;   // the path of the control socket; without, there is none
    const char *app;       // what runs from the start; without, nothing
    bool plays;            // and media play in it
    double ping;           // seconds between the PINGs that a device sends; 0: none
    bool only_tls12;
} Options;

extern Options options;

void options_read(int count, char **words);
