/* sz.log/1: a line of the process's log. Draft. */
#ifndef SZ_HOST_LOG_H
#define SZ_HOST_LOG_H

#include <sz/base.h>

SZ_BEGIN_C

typedef uint32_t sz_log_level;
enum { SZ_LOG_DEBUG = 0, SZ_LOG_INFO = 1, SZ_LOG_WARN = 2, SZ_LOG_ERROR = 3 };

#define SZ_LOG "sz.log/1"
typedef struct sz_log {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any; start, run, stop] The plugin's id is put before the message. */
  void (*write)(const sz_host* host, sz_log_level level, const char* message);
} sz_log;

SZ_END_C
#endif
