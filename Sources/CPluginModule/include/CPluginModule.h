#ifndef CASTWAY_PLUGIN_MODULE_H
#define CASTWAY_PLUGIN_MODULE_H
#include <stddef.h>
#include <stdint.h>
#define CASTWAY_PLUGIN_ABI 1
typedef struct cw_host { uint32_t abi, size; void *ctx; void (*send)(void *ctx, const uint8_t *json, size_t len); } cw_host;
typedef struct cw_plugin { uint32_t abi, size; void *self; const char *build_id;
  int32_t (*receive)(void *self, const uint8_t *json, size_t len); void (*close)(void *self); } cw_plugin;
#endif
