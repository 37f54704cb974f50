// fp16 matrix products with fp32 sums, fast on CPUs without fp16 arithmetic, where LibTorch's own run at a quarter to a
// hundredth of fp32's speed, by layout: operands are widened into panels that stay in the cache, products are fp32's.
#pragma once
#include <ATen/core/Tensor.h>

namespace sz {

// "packed": widening by blocks and oneDNN's fp32 block kernels (at::native::cpublas::brgemm); AVX-512 CPUs.
// "widened": both operands into fp32 scratch, then the fp32 route of ops/matrix_route.h; everywhere.
enum class HalfRoute { kPacked, kWidened };
HalfRoute half_route();               // of this CPU, unless set
void set_half_route(HalfRoute route); // for tests and benchmarks. Thread: main, while no product runs

// op(a) [m, k] x op(b) [k, n] + bias [n], all fp16 (bias may be undefined), op transposing where asked for: a is then
// stored [k, m]. Result [m, n] fp16, each sum in fp32 and rounded once; too large ones become infinite. Bit-identical
// for any number of threads. Records no graph. Thread: any; runs on the caller's intra-op threads.
at::Tensor half_matmul(const at::Tensor& a, bool transpose_a, const at::Tensor& b, bool transpose_b,
                       const at::Tensor& bias = {});

}  // namespace sz
