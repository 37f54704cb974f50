/* sz.rng/1: counter-based random numbers (Philox4x32-10): a number is a pure function of (key, counter). Draft. */
#ifndef SZ_HOST_RNG_H
#define SZ_HOST_RNG_H

#include <sz/base.h>

SZ_BEGIN_C

#define SZ_RNG "sz.rng/1"
typedef struct sz_rng {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any; start, run] A key for one purpose: a pure function of (run.seed, the plugin's id, purpose), the same on all
   * ranks. */
  uint64_t (*key)(const sz_host* host, const char* purpose);
  /* [any] Four uniform 32-bit numbers. */
  void (*draw)(uint64_t key, uint64_t counter_low, uint64_t counter_high, uint32_t out[4]);
} sz_rng;

SZ_END_C
#endif
