#include "protocol.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"

#define NS_MEDIA "urn:x-cast:com.google.cast.media"
#define NS_MULTIZONE "urn:x-cast:com.google.cast.multizone"

enum { MEDIA_LIMIT = 8192 };
static char text[FRAME_LIMIT];

// MARK: Statuses

static const char *status_text_of(const Device *device, uint64_t event, uint64_t sent, char *buffer, size_t size) {
    if (!event) return !strcmp(device->app, DEFAULT_APP) ? "Default Media Receiver" : "Bench";
    snprintf(buffer, size, "event %llu sent %llu", (unsigned long long)event, (unsigned long long)sent);
    return buffer;
}

static void write_receiver_status(const Device *device, long long request, uint64_t event, uint64_t sent) {
    char applications[1024] = "", said[80];
    bool is_media = !strcmp(device->app, DEFAULT_APP);
    if (device->app[0])
        snprintf(applications, sizeof applications,
                 "\"applications\":[{\"appId\":\"%s\",\"appType\":\"WEB\",\"displayName\":\"%s\",\"iconUrl\":\"\","
                 "\"isIdleScreen\":false,\"launchedFromCloud\":false,\"namespaces\":[%s{\"name\":\"%s\"}],"
                 "\"senderConnected\":true,\"sessionId\":\"%s\",\"statusText\":\"%s\",\"transportId\":\"%s\","
                 "\"universalAppId\":\"%s\"}],",
                 device->app, is_media ? "Default Media Receiver" : "Bench",
                 is_media ? "{\"name\":\"" NS_MEDIA "\"}," : "", NS_BENCH, device->session,
                 status_text_of(device, event, sent, said, sizeof said), device->session, device->app);
    snprintf(text, sizeof text,
             "{\"requestId\":%lld,\"status\":{%s\"isActiveInput\":true,\"isStandBy\":false,\"userEq\":{},"
             "\"volume\":{\"controlType\":\"attenuation\",\"level\":%.9g,\"muted\":%s,\"stepInterval\":0.05}},"
             "\"type\":\"RECEIVER_STATUS\"}",
             request, applications, device->volume, device->is_muted ? "true" : "false");
}

static void write_media_status(const Device *device, long long request, uint64_t event, uint64_t sent) {
    char custom[96] = "";
    if (event)
        snprintf(custom, sizeof custom, "\"customData\":{\"event\":%llu,\"sent\":%llu},", (unsigned long long)event,
                 (unsigned long long)sent);
    if (!device->media) {
        snprintf(text, sizeof text, "{\"type\":\"MEDIA_STATUS\",\"status\":[],%s\"requestId\":%lld}", custom, request);
        return;
    }
    snprintf(text, sizeof text,
             "{\"type\":\"MEDIA_STATUS\",\"status\":[{\"mediaSessionId\":%d,\"playbackRate\":1,\"playerState\":\"%s\","
             "\"currentTime\":%.6f,\"supportedMediaCommands\":274447,\"volume\":{\"level\":1,\"muted\":false},"
             "\"activeTrackIds\":[],\"media\":%s,\"currentItemId\":1,\"repeatMode\":\"REPEAT_OFF\",%s"
             "\"videoInfo\":{\"width\":1280,\"height\":720,\"hdrType\":\"sdr\"}}],\"requestId\":%lld}",
             device->media_session, device->player_state, device_position(device), device->media, custom, request);
}

void protocol_announce(Device *device) {
    write_receiver_status(device, 0, 0, 0);
    device_broadcast(device, false, NS_RECEIVER, text);
}

static void write_end_of_media(const Device *device, long long request) {
    snprintf(text, sizeof text,
             "{\"type\":\"MEDIA_STATUS\",\"status\":[{\"mediaSessionId\":%d,\"playbackRate\":1,\"playerState\":\"IDLE\","
             "\"idleReason\":\"CANCELLED\",\"currentTime\":0,\"supportedMediaCommands\":274447,"
             "\"volume\":{\"level\":1,\"muted\":false}}],\"requestId\":%lld}",
             device->media_session, request);
}

static void announce_media(Device *device) {
    write_media_status(device, 0, 0, 0);
    device_broadcast(device, true, NS_MEDIA, text);
}

void protocol_emit(Device *device, bool is_media) {
    uint64_t event = ++device->events;
    if (is_media) write_media_status(device, 0, event, now_ns());
    else write_receiver_status(device, 0, event, now_ns());
    counters.events++;
    counters.event_copies += device_broadcast(device, is_media, is_media ? NS_MEDIA : NS_RECEIVER, text);
}

// MARK: Requests to the platform

static void refuse(long long request, const char *reason) {
    snprintf(text, sizeof text, "{\"requestId\":%lld,\"reason\":\"%s\",\"type\":\"INVALID_REQUEST\"}", request, reason);
}

static bool is_offered(Slice app) { return slice_is(app, DEFAULT_APP) || slice_is(app, BENCH_APP); }

static void write_availability(Slice json, long long request) {
    int at = snprintf(text, sizeof text, "{\"requestId\":%lld,\"responseType\":\"GET_APP_AVAILABILITY\",\"availability\":{",
                      request);
    Slice apps = json_member(json, "appId"), app;
    size_t from = 0;
    for (bool is_first = true; at < FRAME_LIMIT / 2 && json_next_string(apps, &from, &app); is_first = false)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s\"%.*s\":\"%s\"", is_first ? "" : ",",
                       (int)(app.count < 64 ? app.count : 64), app.bytes,
                       is_offered(app) ? "APP_AVAILABLE" : "APP_UNAVAILABLE");
    snprintf(text + at, sizeof text - (size_t)at, "}}");
}

static void take_volume(Device *device, Slice volume) {
    double level = json_number(volume, "level", device->volume);
    int muted = json_truth(volume, "muted");
    device->volume = level < 0 ? 0 : level > 1 ? 1 : level;
    if (muted >= 0) device->is_muted = muted;
    protocol_announce(device);
}

static bool answer_platform(Client *client, Slice json, Slice type, long long request) {
    Device *device = client->device;
    if (slice_is(type, "GET_APP_AVAILABILITY")) {
        write_availability(json, request);
        return true;
    }
    if (slice_is(type, "GET_STATUS")) {
        if (!client->is_online) {
            client->is_online = true;
            counters.clients_online++;
            counters.last_online = now_ns();
        }
    } else if (slice_is(type, "LAUNCH")) {
        Slice app = json_string(json, "appId");
        if (!is_offered(app)) {
            snprintf(text, sizeof text, "{\"requestId\":%lld,\"reason\":\"NOT_FOUND\",\"type\":\"LAUNCH_ERROR\"}", request);
            return true;
        }
        device->launches++;
        if (!slice_is(app, device->app)) device_launch(device, slice_is(app, DEFAULT_APP) ? DEFAULT_APP : BENCH_APP);
    } else if (slice_is(type, "STOP")) {
        Slice session = json_string(json, "sessionId");
        if (session.count && !(device->app[0] && slice_is(session, device->session))) {
            refuse(request, "INVALID_SESSION_ID");
            return true;
        }
        device->stops++;
        device_stop_app(device);
    } else if (slice_is(type, "SET_VOLUME")) {
        take_volume(device, json_member(json, "volume"));
    } else {
        refuse(request, "INVALID_COMMAND");
        return true;
    }
    write_receiver_status(device, request, 0, 0);
    return true;
}

// MARK: Requests to the app

static void set_state(Device *device, const char *state, double position) {
    device->position = position;
    device->position_at = now_ns();
    device->player_state = state;
}

static bool load(Device *device, Slice json, long long request) {
    Slice media = json_member(json, "media");
    if (media.count < 2 || media.count > MEDIA_LIMIT || media.bytes[0] != '{') {
        snprintf(text, sizeof text,
                 "{\"requestId\":%lld,\"detailedErrorCode\":104,\"itemId\":1,\"type\":\"LOAD_FAILED\"}", request);
        return true;
    }
    free(device->media);
    device->media = strndup((const char *)media.bytes, media.count);
    if (!device->media) fail("out of memory");
    device->media_session++;
    device->loads++;
    // A sender's "false" is a text with some, which is true (protocol notes, 6.2).
    set_state(device, json_truth(json, "autoplay") == 0 ? "PAUSED" : "PLAYING", json_number(json, "currentTime", 0));
    return false;
}

static bool answer_media(Device *device, Slice json, Slice type, long long request) {
    bool is_known = slice_is(type, "PLAY") || slice_is(type, "PAUSE") || slice_is(type, "SEEK") ||
                    slice_is(type, "STOP") || slice_is(type, "SET_VOLUME");
    if (slice_is(type, "GET_STATUS")) {
        write_media_status(device, request, 0, 0);
        return true;
    }
    if (slice_is(type, "LOAD")) {
        if (load(device, json, request)) return true;
    } else if (!is_known) {
        refuse(request, "INVALID_COMMAND");
        return true;
    } else if (!device->media) {
        snprintf(text, sizeof text, "{\"requestId\":%lld,\"type\":\"INVALID_PLAYER_STATE\"}", request);
        return true;
    } else if ((int)json_number(json, "mediaSessionId", 0) != device->media_session) {
        refuse(request, "INVALID_MEDIA_SESSION_ID");
        return true;
    } else {
        device->commands++;
        double position = device_position(device);
        if (slice_is(type, "PLAY")) set_state(device, "PLAYING", position);
        if (slice_is(type, "PAUSE")) set_state(device, "PAUSED", position);
        if (slice_is(type, "SEEK")) {
            Slice resume = json_string(json, "resumeState");
            const char *state = slice_is(resume, "PLAYBACK_START")   ? "PLAYING"
                                : slice_is(resume, "PLAYBACK_PAUSE") ? "PAUSED"
                                                                     : device->player_state;
            double by = json_number(json, "relativeTime", 0);
            set_state(device, state, by != 0 ? position + by : json_number(json, "currentTime", position));
        }
        if (slice_is(type, "STOP")) {
            set_state(device, "IDLE", 0);
            free(device->media);
            device->media = NULL;
            // Said once, to everybody; later statuses are empty (protocol notes, 6.3).
            write_end_of_media(device, 0);
            device_broadcast(device, true, NS_MEDIA, text);
            write_end_of_media(device, request);
            return true;
        }
    }
    announce_media(device);
    write_media_status(device, request, 0, 0);
    return true;
}

// MARK: Messages

static void receive_connection(Client *client, const Message *message, bool is_platform, bool is_app) {
    Slice type = json_string(message->payload, "type");
    if (slice_is(type, "CLOSE")) {
        client_disconnect(client, message->source, is_app);
    } else if (slice_is(type, "CONNECT")) {
        if (is_platform || is_app) {
            client_connect(client, message->source, is_app);
        } else {
            char source[64];
            snprintf(source, sizeof source, "%.*s", (int)message->destination.count, message->destination.bytes);
            client_send(client, source, message->source, NS_CONNECTION, "{\"type\":\"CLOSE\"}");
        }
    }
}

void protocol_receive(Client *client, const Message *message) {
    Device *device = client->device;
    bool is_platform = slice_is(message->destination, "receiver-0");
    bool is_app = device->app[0] && slice_is(message->destination, device->session);
    char source[64], ns[128];
    snprintf(source, sizeof source, "%.*s", (int)message->destination.count, message->destination.bytes);
    snprintf(ns, sizeof ns, "%.*s", (int)message->ns.count, message->ns.bytes);
    if (!strcmp(ns, NS_HEARTBEAT)) {
        if (slice_is(json_string(message->payload, "type"), "PING"))
            client_send(client, source, message->source, NS_HEARTBEAT, "{\"type\":\"PONG\"}");
        return;
    }
    if (!strcmp(ns, NS_CONNECTION)) {
        receive_connection(client, message, is_platform, is_app);
        return;
    }
    if (!(is_platform || is_app) || !client_has(client, message->source, is_app)) {
        client_send(client, source, message->source, NS_CONNECTION, "{\"type\":\"CLOSE\"}");
        return;
    }
    long long request = (long long)json_number(message->payload, "requestId", 0);
    Slice type = json_string(message->payload, "type");
    bool is_answered = false;
    if (!strcmp(ns, NS_BENCH)) {
        snprintf(text, sizeof text, "%.*s", (int)message->payload.count, message->payload.bytes);
        is_answered = true;
    } else if (request <= 0) {
        return;
    } else if (is_platform && !strcmp(ns, NS_RECEIVER)) {
        is_answered = answer_platform(client, message->payload, type, request);
    } else if (is_platform && !strcmp(ns, NS_MULTIZONE)) {
        if (slice_is(type, "GET_STATUS"))
            snprintf(text, sizeof text,
                     "{\"requestId\":%lld,\"status\":{\"devices\":[],\"isMultichannel\":false,\"isVideoGroup\":false},"
                     "\"type\":\"MULTIZONE_STATUS\"}",
                     request);
        else
            refuse(request, "INVALID_COMMAND");
        is_answered = true;
    } else if (is_app && !strcmp(ns, NS_MEDIA) && !strcmp(device->app, DEFAULT_APP)) {
        is_answered = answer_media(device, message->payload, type, request);
    }
    if (is_answered) client_send(client, source, message->source, ns, text);
}
