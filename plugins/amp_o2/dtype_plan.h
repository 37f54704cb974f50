// Which dtypes the model's parameters and segments get at an optimisation level (NVIDIA Apex's names).
#pragma once
#include <span>
#include <string>
#include <vector>

#include <sz/host/model.h>
#include <sz/slots.h>

namespace amp_o2 {

// kO1: fp32 parameters, products of segments under autocast. kO2: fp32 masters with mirrors in 16 bits, activations in
// 16 bits. At both the loss is fp32 in its sums.
enum class Level { kO0, kO1, kO2 };

struct DtypeChoice {
  Level level = Level::kO2;
  sz_dtype low = SZ_F16;               // or SZ_BF16
  std::vector<std::string> keep_fp32;  // roles: "norm", "embedding" (the position table too), "bias"
};

// Whether parameters of this role keep fp32 at O2.
bool keeps_fp32(const DtypeChoice& choice, sz_role role);

// `roles`: of each parameter. Both arrays come filled with fp32.
void fill_plan(const DtypeChoice& choice, std::span<const sz_role> roles, std::span<sz_parameter_dtypes> parameters,
               std::span<sz_segment_dtypes> segments);

}  // namespace amp_o2
