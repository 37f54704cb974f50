/* sz.data/1: the samples that the run trains and validates on. Draft. */
#ifndef SZ_HOST_DATA_H
#define SZ_HOST_DATA_H

#include <sz/base.h>
#include <sz/services.h>

SZ_BEGIN_C

/* All: [any; run, from MODEL_DECLARED on]. */
#define SZ_DATA "sz.data/1"
typedef struct sz_data {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t (*count)(const sz_host* host, sz_split split);
  sz_error* (*info)(const sz_host* host, sz_split split, int64_t sample, sz_sample_info* info);
  /* Tag of sz_sample_info::language: "en", "zh", "other"; NULL for an index out of range. Lent until stop. */
  const char* (*language)(const sz_host* host, int32_t language);
  /* The text of the sample's inputs, valid UTF-8; lent until this thread's next call of it. */
  sz_error* (*text)(const sz_host* host, sz_split split, int64_t sample, sz_string* text);
  /* Each array has room for sz_sample_info::length elements; NULL: not wanted. */
  sz_error* (*tokens)(const sz_host* host, sz_split split, int64_t sample, int64_t* ids, int64_t* labels,
                      float* mask);
  /* The tokens of a text, without control tokens: writes at most `capacity` of them and how many there are. An error
   * for a data set that has no tokenizer. */
  sz_error* (*encode)(const sz_host* host, sz_string text, uint64_t capacity, int64_t* ids, uint64_t* count);
  /* [main] Raw scores of all samples of the split, in their order, by the name of a provider of sz.scorer/1 or of its
   * plugin: computed where they aren't yet (its fit() among it), on the process's threads, else read from beside the
   * data. `scores` has room for `capacity` elements, which must be count(split). The same on all ranks, which may ask at
   * different times or not at all. Finite. An error that lists the scorers that there are for an unknown name. */
  sz_error* (*scores)(const sz_host* host, sz_split split, const char* scorer, uint64_t capacity, double* scores);
} sz_data;

SZ_END_C
#endif
