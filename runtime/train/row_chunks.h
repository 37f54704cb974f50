// A segment's backward by chunks of rows: cutting the call, and putting the gradients together.
#pragma once
#include <vector>

#include "train/hooks.h"

namespace sz {

struct RowRange {
  int64_t begin = 0, end = 0;
};

// At most `chunks` even ranges of the call's rows; a single one where an input or a gradient isn't cut by rows: they
// must all have the batch's rows as their first dimension.
std::vector<RowRange> row_ranges(const SegmentCall& call, int chunks);

// The call for these rows: inputs are leaves of their own that share their bytes. Borrows the call's positions.
SegmentCall rows_of(const SegmentCall& call, const RowRange& rows);

// Sums the chunks' gradients of parameters and joins those of inputs. Sums of half-precision ones are taken in fp32 and
// rounded once, at the end: whoever takes the gradients gets the dtype that a call of all rows gives, in which an
// underflow can be seen.
class RowGradients {
 public:
  explicit RowGradients(const SegmentCall& call) : call_(call) {}
  void add(const RowRange& rows, SegmentGradients chunk);
  SegmentGradients take();

 private:
  void add_parameters(TensorList chunk);
  void add_inputs(const RowRange& rows, TensorList chunk);

  const SegmentCall& call_;
  SegmentGradients sum_;
  std::vector<at::ScalarType> types_;  // of the parameters' gradients
};

}  // namespace sz
