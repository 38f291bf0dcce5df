// A plugin in a library, and what can be wrong with one. Built with one of these defined, or none for one that works:
//   WRONG_ABI  it says that it was made for another version      NO_SYMBOL  it has no entry
//   REFUSES    it says that it cannot work here                  EMPTY      it says yes and fills in nothing
// What it does wrong for a message of the type FAULT is the text FAULT.
#include "castway_plugin.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef FAULT
#define FAULT ""
#endif

static cw_host gateway;
static int state;
/// Threads say something too, one at a time, and nothing once it was closed.
static pthread_mutex_t mouth = PTHREAD_MUTEX_INITIALIZER;
static bool is_open;
/// How many answers were given after their deadlines.
static int late_answers;

static void say(const char *line) {
    pthread_mutex_lock(&mouth);
    if (is_open) { gateway.send(gateway.ctx, (const uint8_t *)line, strlen(line)); }
    pthread_mutex_unlock(&mouth);
}

static void answer(const char *id, const char *result) {
    char line[512];
    snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", id, result);
    say(line);
}

static void reply(const char *id, const char *word) {
    char result[256];
    snprintf(
        result, sizeof result, "{\"disposition\":\"reply\",\"payload\":{\"type\":\"%s\",\"pid\":%d,\"late\":%d}}", word, getpid(),
        late_answers);
    answer(id, result);
}

/// Answers the request that it is given when the deadline, of three seconds, has passed.
static void *answer_late(void *id) {
    usleep(3600 * 1000);
    reply(id, "LATE");
    late_answers++;
    free(id);
    return NULL;
}

/// Does wrong.
/// Returns what receive returns.
static int32_t fail(const char *id) {
    if (strcmp(FAULT, "unusable") == 0) { return 1; }
    if (strcmp(FAULT, "late") == 0) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, answer_late, strdup(id)) == 0) { pthread_detach(thread); }
    }
    if (strcmp(FAULT, "garbage") == 0) { say("\x01\xff\xfe \"}{\n\n[1,2\n\"\"\n"); }
    if (strcmp(FAULT, "twice") == 0) {
        reply(id, "FIRST");
        reply(id, "SECOND");
    }
    if (strcmp(FAULT, "invalid-json") == 0) { say("{\"jsonrpc\":\"2.0\",\"id\"\n"); }
    if (strcmp(FAULT, "wrong-id") == 0) { answer("987654321", "{\"disposition\":\"handled\"}"); }
    if (strcmp(FAULT, "flood") == 0) {
        for (int line = 0; line < 20000; line++) { say("this is no message\n"); }
        reply(id, "AFTER");
    }
    return 0;
}

static int32_t take(char *line) {
    // The request's own id comes first, those within the message behind it.
    char *id = strstr(line, "\"id\":");
    const char *method = strstr(line, "\"method\":\"");
    if (method == NULL) { return 0; }
    const int is_fault = strstr(line, "\"type\":\"FAULT\"") != NULL;
    const int is_held = strstr(line, "\"type\":\"HOLD\"") != NULL;
    method += 10;
    char number[32] = "null";
    if (id != NULL) { snprintf(number, sizeof number, "%.*s", (int)strcspn(id + 5, ",}"), id + 5); }
    if (strncmp(method, "initialize\"", 11) == 0) {
        char result[256];
        snprintf(
            result, sizeof result, "{\"protocol\":1,\"plugin\":{\"id\":\"test.%s\",\"version\":\"1\"}}",
            gateway.instance);
        answer(number, result);
    } else if (strncmp(method, "message\"", 8) == 0) {
        if (is_fault) { return fail(number); }
        if (!is_held) { reply(number, "ANSWER"); }
    } else if (strncmp(method, "health\"", 7) == 0) {
        answer(number, "{\"status\":\"ok\"}");
    } else if (strncmp(method, "reload\"", 7) == 0) {
        answer(number, "{\"outcome\":\"applied\"}");
    } else if (strncmp(method, "event\"", 6) != 0 && strncmp(method, "cancel\"", 7) != 0) {
        answer(number, "{}");
    }
    return 0;
}

static int32_t receive(void *self, const uint8_t *lines, size_t length) {
    (void)self;
    char *copy = malloc(length + 1);
    if (copy == NULL) { return 1; }
    memcpy(copy, lines, length);
    copy[length] = '\0';
    int32_t status = 0;
    char *rest = NULL;
    for (char *line = strtok_r(copy, "\n", &rest); line != NULL && status == 0; line = strtok_r(NULL, "\n", &rest)) {
        status = take(line);
    }
    free(copy);
    return status;
}

static void end(void *self) {
    (void)self;
    pthread_mutex_lock(&mouth);
    is_open = false;
    pthread_mutex_unlock(&mouth);
}

#ifdef NO_SYMBOL
int32_t castway_plugin_open_v0(const cw_host *host, cw_plugin *out);
#define castway_plugin_open_v1 castway_plugin_open_v0
#endif

__attribute__((visibility("default"))) int32_t castway_plugin_open_v1(const cw_host *host, cw_plugin *out) {
#ifdef WRONG_ABI
    out->abi = 99;
    out->size = sizeof *out;
    return CASTWAY_PLUGIN_OK;
#endif
#ifdef REFUSES
    fputs("the licence has expired\n", stderr);
    return CASTWAY_PLUGIN_FAILED;
#endif
#ifdef EMPTY
    return CASTWAY_PLUGIN_OK;
#endif
    if (host->abi != CASTWAY_PLUGIN_ABI) { return CASTWAY_PLUGIN_WRONG_ABI; }
    gateway = *host;
    is_open = true;
    out->abi = CASTWAY_PLUGIN_ABI;
    out->size = sizeof *out;
    out->self = &state;
    out->build_id = "the test's own";
    out->receive = receive;
    out->close = end;
    return CASTWAY_PLUGIN_OK;
}
