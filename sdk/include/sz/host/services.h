/* sz.services/1: the services of the runtime and of other plugins. Draft. */
#ifndef SZ_HOST_SERVICES_H
#define SZ_HOST_SERVICES_H

#include <sz/base.h>

SZ_BEGIN_C

/* A provider of a service. Closed; lent until stop. */
typedef struct sz_provider {
  const char* name;   /* what a configuration calls it: "tfidf" */
  const char* plugin; /* its plugin's id; "runtime" */
  const void* table;  /* of the service: const sz_scorer* */
  void* object;       /* first argument of the table's functions */
} sz_provider;

#define SZ_SERVICES "sz.services/1"
typedef struct sz_services {
  uint32_t struct_size;
  uint32_t reserved;
  /* [main; run] How many offer it, in load-plan order. */
  uint64_t (*count)(const sz_host* host, const char* service);
  /* [main; run] */
  sz_error* (*at)(const sz_host* host, const char* service, uint64_t index, sz_provider* provider);
  /* [main; run] By name; an error that lists those that there are. */
  sz_error* (*find)(const sz_host* host, const char* service, const char* name, sz_provider* provider);
} sz_services;

SZ_END_C
#endif
