#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loop.h"

Options options = {.devices = 1, .ping = 5};

static const char usage[] =
    "usage: castdevices --listen HOST:PORT --certificate FILE --key FILE [--devices N] [--spread addresses|ports]\n"
    "                   [--control PATH] [--app ID [--plays]] [--ping SECONDS] [--tls 1.2]\n"
    "Simulates N Cast devices. HOST is the IPv4 address of the first; the others have the following addresses and the\n"
    "same port, or with `--spread ports` the same address and the following ports.\n";

static double number(const char *name, const char *text, double least, double most) {
    char *end;
    double value = strtod(text, &end);
    if (*end || !(value >= least && value <= most)) fail("--%s must be %g to %g, not '%s'", name, least, most, text);
    return value;
}

static void take(const char *name, const char *value) {
    if (!strcmp(name, "devices")) options.devices = (int)number(name, value, 1, 20000);
    else if (!strcmp(name, "listen")) {
        char *copy = strdup(value), *colon = copy ? strrchr(copy, ':') : NULL;
        if (!colon) fail("'%s' is not HOST:PORT", value);
        *colon = 0;
        options.host = copy;
        options.port = (int)number(name, colon + 1, 0, 65535);
    } else if (!strcmp(name, "spread")) options.spreads_ports = !strcmp(value, "ports");
    else if (!strcmp(name, "certificate")) options.certificate = value;
    else if (!strcmp(name, "key")) options.key = value;
    else if (!strcmp(name, "control")) options.control = value;
    else if (!strcmp(name, "app")) options.app = value;
    else if (!strcmp(name, "plays")) options.plays = true;
    else if (!strcmp(name, "ping")) options.ping = number(name, value, 0, 3600);
    else if (!strcmp(name, "tls")) options.only_tls12 = !strcmp(value, "1.2");
}

void options_read(int count, char **words) {
    static const struct option known[] = {
        {"devices", 1, 0, 0}, {"listen", 1, 0, 0}, {"spread", 1, 0, 0}, {"certificate", 1, 0, 0}, {"key", 1, 0, 0},
        {"control", 1, 0, 0}, {"app", 1, 0, 0}, {"plays", 0, 0, 0}, {"ping", 1, 0, 0}, {"tls", 1, 0, 0}, {0, 0, 0, 0},
    };
    int found, at;
    while ((found = getopt_long(count, words, "", known, &at)) == 0) take(known[at].name, optarg);
    if (found != -1 || optind != count || !options.host || !options.certificate || !options.key) {
        fputs(usage, stderr);
        exit(64);
    }
}
