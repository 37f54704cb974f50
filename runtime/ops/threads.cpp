#include "ops/threads.h"

#include <ATen/Parallel.h>

#include <algorithm>

namespace sz {

void set_intra_op_threads(int threads) { at::set_num_threads(std::max(threads, 1)); }

int intra_op_threads() { return at::get_num_threads(); }

}  // namespace sz
