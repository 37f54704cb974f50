// Compiles the kernel file SZ_KERNEL once for each instruction set, in namespaces sz::scalar, sz::avx2, sz::avx512:
//
//   #define SZ_KERNEL "optim/adamw_kernel.inl"
//   #include "ops/simd/foreach_isa.h"
//
// and SZ_DISPATCH(f)(arguments) calls the current one's f. A kernel is written over 16 lanes (lanes_*.inl), the
// same on each: so its results are bit-identical on every CPU. Kernel files use no std:: templates, since those
// would be compiled for one CPU and shared by the linker with code that runs on all.
// No #pragma once: one .cpp may build several kernels. Include everything else first.
#include <immintrin.h>

#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/error.h"
#include "base/rng.h"
#include "ops/cpu.h"
#include "ops/simd/half_bits.h"

namespace sz::scalar {
#include "ops/simd/lanes_scalar.inl"
#include SZ_KERNEL
}  // namespace sz::scalar

#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c")
namespace sz::avx2 {
#include "ops/simd/lanes_avx2.inl"
#include SZ_KERNEL
}  // namespace sz::avx2
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl")
namespace sz::avx512 {
#include "ops/simd/lanes_avx512.inl"
#include SZ_KERNEL
}  // namespace sz::avx512
#pragma GCC pop_options

#undef SZ_KERNEL
#ifndef SZ_DISPATCH
#define SZ_DISPATCH(f)                                      \
  (::sz::current_isa() == ::sz::Isa::kAvx512 ? ::sz::avx512::f \
   : ::sz::current_isa() == ::sz::Isa::kAvx2 ? ::sz::avx2::f   \
                                             : ::sz::scalar::f)
#endif
