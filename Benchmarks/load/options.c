#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loop.h"

Options options = {.connections = 1, .depth = 1, .size = 500, .seconds = 3, .warmup = 0.5, .method = "POST",
                   .ns = "urn:x-cast:com.example.bench"};

static const char usage[] =
    "usage: castload send   --connect HOST:PORT... [--connections N] [--depth N | --rate PER_SECOND] [--size BYTES]\n"
    "                       [--request echo|status] [--seconds S] [--warmup S] [--sources N] [--watch PID...]\n"
    "                       [--namespace NAMESPACE] [--arrives http:HOST:PORT | --arrives mqtt:HOST:PORT --topic FILTER]\n"
    "       castload send   --listen HOST:PORT --certificate FILE --key FILE [as above]\n"
    "       castload backend --listen HOST:PORT [--size BYTES]\n"
    "       castload idle   --connect HOST:PORT... [--connections N] [--seconds S] [--sources N] [--watch PID...]\n"
    "       castload accept --connect HOST:PORT... [--connections N] [--seconds S] [--warmup S] [--sources N]\n"
    "       castload subscribe --connect HOST:PORT... [--connections N] [--seconds S]\n"
    "       castload post   --connect HOST:PORT --path PATH [--body JSON] [--token TOKEN] [--connections N | --rate PER_SECOND]\n"
    "       castload listen --connect HOST:PORT --path PATH [--body JSON] [--token TOKEN] [--connections N] [--seconds S]\n"
    "       castload device --listen HOST:PORT --certificate FILE --key FILE\n"
    "Results are one JSON object on standard output. HOST is an IPv4 address.\n";

static Target target(const char *text) {
    char *copy = strdup(text), *colon = copy ? strrchr(copy, ':') : NULL;
    if (!colon) fail("'%s' is not HOST:PORT", text);
    *colon = 0;
    return (Target){copy, atoi(colon + 1)};
}

static double number(const char *name, const char *text, double least, double most) {
    char *end;
    double value = strtod(text, &end);
    if (*end || !(value >= least && value <= most)) fail("--%s must be %g to %g, not '%s'", name, least, most, text);
    return value;
}

static void take(const char *name, const char *value) {
    if (!strcmp(name, "connect")) {
        if (options.target_count == TARGET_LIMIT) fail("too many --connect");
        options.targets[options.target_count++] = target(value);
    } else if (!strcmp(name, "listen")) options.listen = target(value);
    else if (!strcmp(name, "certificate")) options.certificate = value;
    else if (!strcmp(name, "key")) options.key = value;
    else if (!strcmp(name, "method")) options.method = value;
    else if (!strcmp(name, "path")) options.path = value;
    else if (!strcmp(name, "body")) options.body = value;
    else if (!strcmp(name, "token")) options.token = value;
    else if (!strcmp(name, "connections")) options.connections = (int)number(name, value, 1, 60000);
    else if (!strcmp(name, "depth")) options.depth = (int)number(name, value, 1, 1024);
    else if (!strcmp(name, "size")) options.size = (int)number(name, value, 200, 65000);
    else if (!strcmp(name, "rate")) options.rate = number(name, value, 1, 1e6);
    else if (!strcmp(name, "seconds")) options.seconds = number(name, value, 0.1, 3600);
    else if (!strcmp(name, "warmup")) options.warmup = number(name, value, 0, 60);
    else if (!strcmp(name, "sources")) options.sources = (int)number(name, value, 0, 60000);
    else if (!strcmp(name, "request")) options.asks_status = !strcmp(value, "status");
    else if (!strcmp(name, "namespace")) options.ns = value;
    else if (!strcmp(name, "topic")) options.topic = value;
    else if (!strcmp(name, "arrives")) {
        if (strncmp(value, "http:", 5) && strncmp(value, "mqtt:", 5)) fail("--arrives is http:HOST:PORT or mqtt:HOST:PORT");
        options.arrives = *value == 'h' ? ARRIVES_BY_HTTP : ARRIVES_BY_MQTT;
        options.arrival = target(value + 5);
    } else if (!strcmp(name, "watch")) {
        if (options.watched_count == WATCH_LIMIT) fail("too many --watch");
        options.watched[options.watched_count++] = (int)number(name, value, 1, 1e9);
    }
}

void options_read(int count, char **words) {
    static const struct option known[] = {
        {"connect", 1, 0, 0}, {"listen", 1, 0, 0}, {"certificate", 1, 0, 0}, {"key", 1, 0, 0},
        {"method", 1, 0, 0}, {"path", 1, 0, 0}, {"body", 1, 0, 0}, {"token", 1, 0, 0},
        {"connections", 1, 0, 0}, {"depth", 1, 0, 0}, {"size", 1, 0, 0}, {"rate", 1, 0, 0}, {"seconds", 1, 0, 0},
        {"warmup", 1, 0, 0}, {"sources", 1, 0, 0}, {"request", 1, 0, 0}, {"watch", 1, 0, 0},
        {"namespace", 1, 0, 0}, {"arrives", 1, 0, 0}, {"topic", 1, 0, 0}, {0, 0, 0, 0},
    };
    int found, at;
    while ((found = getopt_long(count, words, "", known, &at)) == 0) take(known[at].name, optarg);
    if (found != -1 || optind != count - 1) {
        fputs(usage, stderr);
        exit(64);
    }
    options.mode = words[optind];
}

uint32_t options_source(int index) {
    if (!options.sources) return 0;
    return 0x7f010001u + (uint32_t)(index % options.sources);  // 127.1.0.1 and following
}
