// The default residency: every rank holds everything; gradients are all-reduced in buckets during the last
// micro-batch's backward.
#pragma once
#include <memory>

#include "train/slots.h"

namespace sz {

struct ReplicatedOptions {
  int64_t bucket_bytes = 4 << 20;  // of gradients; never more than a quarter of them, so that some can overlap
};

std::unique_ptr<Residency> make_replicated_residency(const ReplicatedOptions& options);

}  // namespace sz
