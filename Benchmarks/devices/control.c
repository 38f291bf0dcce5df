#include "control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "options.h"
#include "pings.h"
#include "protocol.h"

typedef struct {
    Source source;
    size_t count;
    char line[512];
} Visitor;

static Source listener;

static void say_status(FILE *out) {
    int listening = 0, frozen = 0;
    for (int i = 0; i < options.devices; i++) {
        listening += devices[i].listener.fd >= 0;
        frozen += devices[i].is_frozen;
    }
    fprintf(out,
            "{\"devices\":%d,\"listening\":%d,\"frozen\":%d,\"connections\":%d,\"online\":%d,\"accepted\":%ld,"
            "\"failed\":%ld,\"messages\":%ld,\"malformed\":%ld,\"events\":%ld,\"event_copies\":%ld,\"emitting\":%s,"
            "\"first_accept\":%.6f,\"last_online\":%.6f,\"now\":%.6f,\"own_cpu\":%.6f}\n",
            options.devices, listening, frozen, counters.connections, counters.clients_online, counters.accepted,
            counters.failed, counters.messages, counters.malformed, counters.events, counters.event_copies,
            emission.sent < emission.total ? "true" : "false", (double)counters.first_accept / 1e9,
            (double)counters.last_online / 1e9, (double)now_ns() / 1e9, (double)own_cpu_ns() / 1e9);
}

static void say_device(FILE *out, const Device *device) {
    int clients = 0, ends = 0;
    for (const Client *client = device->clients; client; client = client->next) {
        clients++;
        ends += client->end_count;
    }
    fprintf(out,
            "{\"app\":\"%s\",\"session\":\"%s\",\"state\":\"%s\",\"position\":%.3f,\"media_session\":%d,"
            "\"launches\":%ld,\"stops\":%ld,\"loads\":%ld,\"commands\":%ld,\"events\":%llu,\"clients\":%d,\"ends\":%d,"
            "\"accepted\":%ld,\"volume\":%g}\n",
            device->app, device->app[0] ? device->session : "", device->player_state, device_position(device),
            device->media_session, device->launches, device->stops, device->loads, device->commands,
            (unsigned long long)device->events, clients, ends, device->accepted, device->volume);
}

static void forget_counters(void) {
    int connections = counters.connections, online = counters.clients_online;
    counters = (Counters){.connections = connections, .clients_online = online};
}

static bool obey_one(const char *command, const char *word, Device *device) {
    if (!strcmp(command, "freeze")) device_freeze(device, true);
    else if (!strcmp(command, "thaw")) device_freeze(device, false);
    else if (!strcmp(command, "reset")) device_hang_up(device, true);
    else if (!strcmp(command, "hangup")) device_hang_up(device, false);
    else if (!strcmp(command, "away")) device_leave(device, false);
    else if (!strcmp(command, "crash")) device_leave(device, true);
    else if (!strcmp(command, "back")) device_return(device);
    else if (!strcmp(command, "session")) device_change_session(device);
    else if (!strcmp(command, "stop")) device_stop_app(device);
    else if (!strcmp(command, "launch")) device_launch(device, word);
    else if (!strcmp(command, "play")) device_play(device);
    else return false;
    return true;
}

// COMMAND [FIRST [COUNT]], `launch APP [FIRST [COUNT]]`, `emit media|receiver RATE SECONDS [FIRST [COUNT]]`.
static void obey(char *line, FILE *out) {
    char *rest = NULL, *command = strtok_r(line, " ", &rest), *word = "", *rate = NULL, *seconds = NULL;
    if (!command) {
        fputs("{\"error\":\"no command\"}\n", out);
        return;
    }
    bool is_emission = !strcmp(command, "emit");
    if (is_emission || !strcmp(command, "launch")) word = strtok_r(NULL, " ", &rest);
    if (is_emission) {
        rate = strtok_r(NULL, " ", &rest);
        seconds = strtok_r(NULL, " ", &rest);
    }
    const char *first_word = strtok_r(NULL, " ", &rest), *count_word = strtok_r(NULL, " ", &rest);
    int first = first_word ? atoi(first_word) : 0;
    int count = count_word ? atoi(count_word) : first_word ? 1 : options.devices;
    bool is_known = word && first >= 0 && count > 0 && first + count <= options.devices;
    if (is_known && !strcmp(command, "status")) {
        say_status(out);
        return;
    }
    if (is_known && !strcmp(command, "show")) {
        say_device(out, &devices[first]);
        return;
    }
    if (!strcmp(command, "forget")) {
        forget_counters();
    } else if (is_known && is_emission && seconds && atof(rate) > 0) {
        emission_begin(!strcmp(word, "media"), first, count, atof(rate), atof(seconds));
    } else {
        for (int i = 0; is_known && i < count; i++) is_known = obey_one(command, word, &devices[first + i]);
        if (!is_known) {
            fprintf(out, "{\"error\":\"cannot %s\"}\n", command);
            return;
        }
    }
    fprintf(out, "{\"done\":%.6f}\n", (double)now_ns() / 1e9);
}

static void read_commands(Source *source, uint32_t events) {
    (void)events;
    Visitor *visitor = (Visitor *)source;
    ssize_t got = recv(source->fd, visitor->line + visitor->count, sizeof visitor->line - 1 - visitor->count, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    char *end = NULL;
    if (got > 0) {
        visitor->count += (size_t)got;
        visitor->line[visitor->count] = 0;
        while ((end = strchr(visitor->line, '\n'))) {
            *end = 0;
            char *answer = NULL;
            size_t length = 0;
            FILE *out = open_memstream(&answer, &length);
            if (!out) fail("out of memory");
            obey(visitor->line, out);
            fclose(out);
            ssize_t sent = send(source->fd, answer, length, MSG_NOSIGNAL);
            (void)sent;
            free(answer);
            visitor->count -= (size_t)(end + 1 - visitor->line);
            memmove(visitor->line, end + 1, visitor->count + 1);
        }
    }
    if (got <= 0 || visitor->count == sizeof visitor->line - 1) {
        close(source->fd);
        loop_discard(visitor);
    }
}

static void accept_visitors(Source *source, uint32_t events) {
    (void)events;
    int fd;
    while ((fd = accept4(source->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        Visitor *visitor = calloc(1, sizeof *visitor);
        if (!visitor) fail("out of memory");
        visitor->source = (Source){fd, read_commands};
        loop_add(&visitor->source, EPOLLIN);
    }
}

void control_open(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) fail("the path of the control socket is too long");
    strcpy(address.sun_path, path);
    unlink(path);
    listener = (Source){socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), accept_visitors};
    if (bind(listener.fd, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener.fd, 8) < 0)
        fail("%s: %s", path, strerror(errno));
    loop_add(&listener, EPOLLIN);
}
