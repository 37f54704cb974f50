// The default precision: fp32, or fp32 parameters under bf16 autocast; attempts with a non-finite gradient or loss are
// skipped, and too many in a row end the run.
#pragma once
#include <memory>

#include "train/slots.h"

namespace sz {

struct DefaultPrecisionOptions {
  bool bf16 = false;     // autocast every segment
  int64_t max_bad = 10;  // non-finite attempts in a row that end the run (exit code 5)
};

std::unique_ptr<Precision> make_default_precision(const DefaultPrecisionOptions& options);

}  // namespace sz
