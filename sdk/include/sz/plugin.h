/* The core: how host and plugin find each other. Stable.
 *
 * Life of a plugin:
 *   ELF note read (before dlopen) -> sz_plugin_entry_v1 -> descriptor read, load plan decided
 *   -> create (no host calls) -> start -> ... hooks, slots, services ... -> stop -> destroy
 * All of it on the main thread. Plugins are stopped in the reverse order of their start, also after a failed run; a
 * library is never unloaded. What a plugin implements is found by get_extension() and provide(), what the host
 * implements by sz_host::get_interface(); all are tables of functions named by "id/major".
 *
 * Errors: sz_error* is made by the host. A plugin that returns one gives it away. A plugin that gets one from a host
 * function owns it: it returns it in its turn, or frees it with free_error.
 */
#ifndef SZ_PLUGIN_H
#define SZ_PLUGIN_H

#include <sz/base.h>

SZ_BEGIN_C

/* ---- What the host offers first --------------------------------------------------------------------------------- */

#define SZ_OFFER_MAGIC UINT64_C(0x315245464F5A5300) /* "\0SZOFER1", read as bytes */

/* Lives until the process ends. */
typedef struct sz_offer {
  uint32_t struct_size;
  uint32_t draft; /* SZ_DRAFT of the host */
  uint64_t magic;
  uint32_t abi_min, abi_max;
  const char* host_version;  /* "0.1.0" */
  const char* torch_version; /* "2.11.0", or NULL: a host without LibTorch */
  /* [any] A new error. `message` says what is wrong and what to do; it's copied. Never NULL. */
  sz_error* (*make_error)(sz_code code, const char* message);
  /* [any] NULL is allowed. */
  void (*free_error)(sz_error* error);
  /* [any] Lent until the error is freed. */
  sz_code (*error_code)(const sz_error* error);
  const char* (*error_message)(const sz_error* error);
} sz_offer;

/* One a plugin; lives from create to the end of destroy. */
struct sz_host {
  uint32_t struct_size;
  uint32_t abi; /* the agreed version */
  const sz_offer* offer;
  void* impl; /* the host's */
  /* [any; start, run, stop] A table of host functions: get_interface(host, "sz.metrics/1"). NULL for an unknown id.
   * Lives as long as the host. */
  const void* (*get_interface)(const sz_host* host, const char* id);
};

/* ---- The descriptor: all that the load plan needs to know, as data ---------------------------------------------- */

typedef uint32_t sz_op;
enum { SZ_EQUAL = 0, SZ_NOT_EQUAL = 1, SZ_IN = 2 };

/* One condition on an own configuration key; lists of them hold when all do. Values are compared as text: a string
 * bare, anything else as TOML writes it ("true", "8"). */
typedef struct sz_condition {
  uint32_t struct_size;
  sz_op op;
  const char* key;
  const char* const* values; /* ends in NULL; exactly one but for SZ_IN */
} sz_condition;

typedef uint32_t sz_need_kind;
enum {
  SZ_NEED_INTERFACE = 0, /* of the host: "sz.torch/1" */
  SZ_NEED_SERVICE = 1,   /* of anybody: "sz.scorer/1" */
  SZ_NEED_PLUGIN = 2     /* by id; that plugin is started first */
};

typedef struct sz_need {
  uint32_t struct_size;
  sz_need_kind kind;
  const char* id;
  const sz_condition* const* when; /* NULL: always */
} sz_need;

/* A service that the plugin offers; it may offer one service under several names. */
typedef struct sz_give {
  uint32_t struct_size;
  uint32_t reserved;
  const char* service; /* "sz.scorer/1" */
  const char* name;    /* what a configuration calls it; NULL: the plugin's id */
  const sz_condition* const* when;
} sz_give;

/* A hook that the plugin watches or wraps, and its place there. The orders are soft: they hold when the other is
 * there. */
typedef struct sz_hook_use {
  uint32_t struct_size;
  uint32_t hook;             /* sz_hook, in hooks.h */
  const char* const* before; /* plugin ids, ends in NULL; NULL: none */
  const char* const* after;
  const sz_condition* const* when;
} sz_hook_use;

/* A slot that the plugin claims. */
typedef struct sz_slot_use {
  uint32_t struct_size;
  uint32_t reserved;
  const char* slot; /* "precision", "residency" or "sampler" */
  const sz_condition* const* when;
} sz_slot_use;

typedef uint32_t sz_state_scope;
enum { SZ_STATE_CHECKPOINT = 0, SZ_STATE_CHECKPOINT_AND_ROLLBACK = 1 };

/* Says that the plugin keeps state (its functions: extension sz.state/1 in host/state.h). */
typedef struct sz_state_use {
  uint32_t struct_size;
  sz_state_scope scope;
  uint32_t version; /* of the bytes, from 1 */
  uint32_t reserved;
} sz_state_use;

typedef uint32_t sz_key_type;
enum { SZ_KEY_BOOL = 0, SZ_KEY_INT, SZ_KEY_FLOAT, SZ_KEY_STRING, SZ_KEY_STRING_LIST, SZ_KEY_FLOAT_LIST };

/* One key of the table [plugins.ID]. */
typedef struct sz_key {
  uint32_t struct_size;
  sz_key_type type;
  const char* name;          /* without a dot; not enabled, path or sha256 */
  const char* default_toml;  /* "8", "\"fp16\"", "[0.9, 0.95]"; NULL: absent unless given */
  const char* help;          /* one line, English */
  const char* unit;          /* "steps", "bytes"; NULL: none */
  const char* const* choices; /* strings: the allowed ones, ends in NULL; NULL: any. With min and max a number within
                                 them is allowed as well, and read as its text */
  double min, max;           /* inclusive, numbers and elements of lists; both 0: no limits */
  sz_bool required;
  sz_bool per_host;          /* paths and the like: may differ between ranks */
} sz_key;

/* Lists end in NULL; a NULL list is empty. */
typedef struct sz_descriptor {
  uint32_t struct_size;
  uint32_t draft;         /* SZ_DRAFT */
  const char* id;         /* [a-z0-9_]+, the name of its table and file */
  const char* version;    /* "1.0.0" */
  const char* licence;    /* SPDX: "Apache-2.0" */
  const char* summary;    /* one line, English */
  const char* summary_zh; /* one line, Chinese; NULL: none */
  const sz_need* const* needs;
  const sz_give* const* gives;
  const sz_hook_use* const* hooks;
  const sz_slot_use* const* slots;
  const sz_key* const* keys;
  const sz_state_use* state; /* NULL: none */
  sz_bool votes;             /* has extension sz.voter/1 (facts.h) */
  uint32_t reserved;
} sz_descriptor;

/* What is known of a run before it starts. Lent. */
typedef struct sz_check {
  uint32_t struct_size;
  uint32_t ranks;          /* that steps_per_epoch reckons with */
  int64_t steps_per_epoch; /* 0: not known, since the data set isn't prepared yet */
  int64_t total_steps;     /* 0: not known */
} sz_check;

/* ---- The plugin ------------------------------------------------------------------------------------------------- */

/* Static: lives until the process ends. */
typedef struct sz_plugin {
  uint32_t struct_size;
  uint32_t abi; /* SZ_ABI_VERSION */
  const sz_descriptor* descriptor;
  /* [main] Makes the plugin's object; may keep `host` but not call through it. On an error *self is not used. */
  sz_error* (*create)(const sz_host* host, void** self);
  /* [main; start] Reads the configuration, looks up interfaces, subscribes. After an error only destroy follows.
   * NULL: nothing to do. */
  sz_error* (*start)(void* self);
  /* [main; stop] Ends its threads, closes its files. NULL: nothing to do. */
  void (*stop)(void* self);
  /* [main] Frees the object. No host calls. */
  void (*destroy)(void* self);
  /* [main; run] A table that the plugin implements: sz.observer/1, sz.around/1, sz.voter/1, sz.state/1,
   * sz.precision/1, sz.residency/1, sz.sampler/1; their functions take `self`. NULL for an unknown id. Lives until
   * destroy. Asked once, after start, for what the load plan wants. */
  const void* (*get_extension)(void* self, const char* id);
  /* [main; run] The table of a service that the descriptor gives, by service and name; its functions take *object,
   * which is `self` unless set. Lives until destroy. NULL here: the plugin gives none. */
  const void* (*provide)(void* self, const char* service, const char* name, void** object);
  /* [main; before create] `szlaunch check`: what of the configuration is allowed but hardly meant. Writes warnings, a
   * line each. Of the host's interfaces only sz.config/1 is there. NULL, or a table that ends before: nothing to say. */
  sz_error* (*check)(const sz_host* host, const sz_check* run, const sz_sink* warnings);
} sz_plugin;

/* ---- Entry and note --------------------------------------------------------------------------------------------- */

/* [main] The one exported symbol. Checks the offer before anything else; NULL with *error set: no agreement. */
typedef const sz_plugin* (*sz_plugin_entry_fn)(const sz_offer* offer, sz_error** error);
#define SZ_PLUGIN_ENTRY "sz_plugin_entry_v1"
SZ_EXPORT const sz_plugin* sz_plugin_entry_v1(const sz_offer* offer, sz_error** error);

/* The ELF note that the host reads from the file before it runs any of its code. Closed. */
#define SZ_NOTE_NAME "SZPLUGIN" /* 9 bytes with its NUL, padded to 12 */
#define SZ_NOTE_SECTION ".note.szplugin"
#define SZ_NOTE_TYPE 1u
typedef struct sz_note {
  uint32_t name_size, descriptor_size, type;
  char name[12];
  uint32_t abi_min, abi_max; /* versions that the plugin can speak */
  uint32_t draft;            /* SZ_DRAFT */
  uint32_t reserved;
} sz_note;

/* Once in a plugin, at file scope. */
#define SZ_PLUGIN_NOTE                                                                                  \
  __attribute__((used, section(SZ_NOTE_SECTION), aligned(4))) static const sz_note sz_plugin_note_v1 = { \
      sizeof(SZ_NOTE_NAME), 16, SZ_NOTE_TYPE, SZ_NOTE_NAME, SZ_ABI_VERSION, SZ_ABI_VERSION, SZ_DRAFT, 0}

/* What an entry does: `plugin` when the offer suits it, else NULL and an error. */
static inline const sz_plugin* sz_accept(const sz_offer* offer, const sz_plugin* plugin, sz_error** error) {
  if (offer == NULL || offer->magic != SZ_OFFER_MAGIC || !SZ_HAS(offer, sz_offer, error_message)) {
    return NULL; /* not an offer that anything can be read from, so no error can be made either */
  }
  if (plugin->abi < offer->abi_min || plugin->abi > offer->abi_max) {
    *error = offer->make_error(SZ_PLUGIN_FAILED, "the plugin speaks another ABI version than this host: rebuild it "
                                                 "with the SDK that came with the host");
    return NULL;
  }
  if (plugin->descriptor->draft != offer->draft) {
    *error = offer->make_error(SZ_PLUGIN_FAILED, "the plugin was built against another draft of the interfaces: "
                                                 "rebuild it with the SDK that came with the host");
    return NULL;
  }
  return plugin;
}

SZ_END_C
#endif
