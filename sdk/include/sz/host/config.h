/* sz.config/1: the resolved configuration, read only. Draft.
 *
 * A key without a dot is the plugin's own ("window"); one with dots is the run's ("train.steps"). Values were checked
 * against the schema, so that an error here means a key that the schema lacks, that has another type, or that is
 * absent (see has). */
#ifndef SZ_HOST_CONFIG_H
#define SZ_HOST_CONFIG_H

#include <sz/base.h>

SZ_BEGIN_C

/* All: [any; start, run, stop]. What is lent lives until the plugin is destroyed. */
#define SZ_CONFIG "sz.config/1"
typedef struct sz_config {
  uint32_t struct_size;
  uint32_t reserved;
  sz_bool (*has)(const sz_host* host, const char* key);
  sz_error* (*get_bool)(const sz_host* host, const char* key, sz_bool* value);
  sz_error* (*get_int)(const sz_host* host, const char* key, int64_t* value);
  sz_error* (*get_float)(const sz_host* host, const char* key, double* value);
  sz_error* (*get_string)(const sz_host* host, const char* key, sz_string* value);
  sz_error* (*get_string_list)(const sz_host* host, const char* key, const sz_string** values, uint64_t* count);
  sz_error* (*get_float_list)(const sz_host* host, const char* key, const double** values, uint64_t* count);
} sz_config;

SZ_END_C
#endif
