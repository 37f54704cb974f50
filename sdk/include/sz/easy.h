/* Conveniences for plugins in C: nothing here crosses the boundary. C only; C++ has <sz/plugin.hpp>. */
#ifndef SZ_EASY_H
#define SZ_EASY_H

#include <stdlib.h>
#include <string.h>

#include <sz/hooks.h>
#include <sz/host/config.h>
#include <sz/host/decisions.h>
#include <sz/host/events.h>
#include <sz/host/log.h>
#include <sz/host/metrics.h>
#include <sz/host/run.h>
#include <sz/plugin.h>

/* Returns from the function with the error of `call`, if it has one. */
#define SZ_TRY(call)                             \
  do {                                           \
    sz_error* sz_error_ = (call);                \
    if (sz_error_ != NULL) return sz_error_;     \
  } while (0)

/* First initialiser of a struct that grows: {SZ_SIZED(sz_decision), .what = "..."}. */
#define SZ_SIZED(type) .struct_size = sizeof(type)

/* Lists of a descriptor: .keys = SZ_LIST(sz_key, SZ_KEY(.name = "window", ...), ...). File scope only. */
#define SZ_LIST(type, ...) ((const type* const[]){__VA_ARGS__, NULL})
#define SZ_NAMES(...) ((const char* const[]){__VA_ARGS__, NULL})
#define SZ_ITEM(type, ...) (&(const type){SZ_SIZED(type), __VA_ARGS__})
#define SZ_KEY(...) SZ_ITEM(sz_key, __VA_ARGS__)
#define SZ_HOOK(...) SZ_ITEM(sz_hook_use, __VA_ARGS__)
#define SZ_SLOT(...) SZ_ITEM(sz_slot_use, __VA_ARGS__)
#define SZ_NEED(...) SZ_ITEM(sz_need, __VA_ARGS__)
#define SZ_GIVE(...) SZ_ITEM(sz_give, __VA_ARGS__)
#define SZ_WHEN(...) SZ_ITEM(sz_condition, __VA_ARGS__)

static inline sz_error* sz_fail(const sz_host* host, sz_code code, const char* message) {
  return host->offer->make_error(code, message);
}

/* Looks an interface up: sz_find(host, SZ_METRICS, &self->metrics). `table`: address of a pointer to its table. */
static inline sz_error* sz_find(const sz_host* host, const char* id, void* table) {
  const void* found = host->get_interface(host, id);
  if (found == NULL) return sz_fail(host, SZ_PLUGIN_FAILED, "the host lacks an interface that the plugin looks up");
  memcpy(table, &found, sizeof(found));
  return NULL;
}

/* Emits the entry and the ELF note for a static const sz_plugin. */
#define SZ_REGISTER(plugin)                                                             \
  SZ_PLUGIN_NOTE;                                                                       \
  const sz_plugin* sz_plugin_entry_v1(const sz_offer* offer, sz_error** error) {        \
    return sz_accept(offer, &(plugin), error);                                          \
  }

/* Emits sz_create and sz_destroy for a struct whose first member is `const sz_host* host`, zeroed at first. */
#define SZ_LIFE(type)                                                                   \
  static sz_error* sz_create(const sz_host* host, void** self) {                        \
    type* made = (type*)calloc(1, sizeof(type));                                        \
    if (made == NULL) return sz_fail(host, SZ_EXHAUSTED, "no memory for the plugin");   \
    made->host = host;                                                                  \
    *self = made;                                                                       \
    return NULL;                                                                        \
  }                                                                                     \
  static void sz_destroy(void* self) { free(self); }

/* A whole plugin that only watches hooks: start(self), on(self, info). */
#define SZ_REGISTER_OBSERVER(type, descriptor_, start_, on_)                            \
  SZ_LIFE(type)                                                                         \
  static const sz_observer sz_observer_ = {SZ_SIZED(sz_observer), .on = (on_)};         \
  static const void* sz_get_extension(void* self, const char* id) {                     \
    (void)self;                                                                         \
    return strcmp(id, SZ_OBSERVER) == 0 ? &sz_observer_ : NULL;                         \
  }                                                                                     \
  static const sz_plugin sz_plugin_ = {SZ_SIZED(sz_plugin),                             \
                                       .abi = SZ_ABI_VERSION,                           \
                                       .descriptor = &(descriptor_),                    \
                                       .create = sz_create,                             \
                                       .start = (start_),                               \
                                       .destroy = sz_destroy,                           \
                                       .get_extension = sz_get_extension};              \
  SZ_REGISTER(sz_plugin_)

#endif
