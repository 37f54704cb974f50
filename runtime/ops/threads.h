// Intra-op threads of LibTorch.
#pragma once

namespace sz {

// Threads that operators called from this thread may use, itself included; at least 1. Call it in every thread
// that calls operators: OpenMP gives each a pool of its own, so helper threads want set_intra_op_threads(1).
void set_intra_op_threads(int threads);
int intra_op_threads();

}  // namespace sz
