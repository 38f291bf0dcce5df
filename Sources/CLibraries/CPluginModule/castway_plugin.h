/*
 * The boundary between the gateway and a plugin that runs within its process: a shared library, loaded with dlopen.
 *
 * Bytes cross it and nothing else: the lines of the plugin protocol (Docs/plugin-protocol.md), the same that a plugin
 * in a process of its own reads and writes. Any language that can export a C function can make such a library.
 *
 * The gateway looks up one symbol, castway_plugin_open_v1, and calls it once for every instance in gateway.yaml. A
 * library is never unloaded.
 */
#ifndef CASTWAY_PLUGIN_H
#define CASTWAY_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this file. The structures may grow at their ends within a version: see size. */
#define CASTWAY_PLUGIN_ABI 1

/* What castway_plugin_open_v1 returns. */
#define CASTWAY_PLUGIN_OK 0
/* The library was made for another version. */
#define CASTWAY_PLUGIN_WRONG_ABI 1
/* The library cannot work here; it said why on standard error. */
#define CASTWAY_PLUGIN_FAILED 2

/* What the gateway hands a plugin. Valid until cw_plugin.close returns. */
typedef struct cw_host {
    /* CASTWAY_PLUGIN_ABI of the gateway, and the size of this structure there. Whoever reads a member checks first that
     * size covers it. */
    uint32_t abi;
    uint32_t size;
    /* The first argument of send. */
    void *ctx;
    /* Takes one or more whole lines, each ended by a newline. From any thread, one at a time, also from within receive.
     * The bytes are copied before it returns. Never called again once close has returned. */
    void (*send)(void *ctx, const uint8_t *lines, size_t length);
    /* The instance's name in gateway.yaml, in UTF-8, for a log before the first line. */
    const char *instance;
} cw_host;

/* What a plugin hands the gateway: filled in by castway_plugin_open_v1. */
typedef struct cw_plugin {
    /* Set by the gateway before the call: its CASTWAY_PLUGIN_ABI, and how many bytes the plugin may write here. Set by
     * the plugin to its own. */
    uint32_t abi;
    uint32_t size;
    /* The first argument of receive and close. */
    void *self;
    /* With what the library was built, for the log: text that lives as long as the library; may be null. */
    const char *build_id;
    /* Takes bytes of the stream of lines, each line ended by a newline; they may be cut anywhere. From one thread at a
     * time. Copies what it keeps. May run the plugin's code up to where that first waits, so it is not called on a thread
     * that nothing may hold up. Not 0 when the plugin is beyond use; it is then closed. */
    int32_t (*receive)(void *self, const uint8_t *lines, size_t length);
    /* The end. Once it has returned the plugin calls send no more, and the gateway calls nothing. Must not block for
     * long: drain and shutdown were asked for before. Not called from within send. */
    void (*close)(void *self);
} cw_plugin;

/* The symbol that a library exports. */
typedef int32_t (*castway_plugin_open_function)(const cw_host *host, cw_plugin *out);
int32_t castway_plugin_open_v1(const cw_host *host, cw_plugin *out);

#ifdef __cplusplus
}
#endif

#endif
