#include "dtype_plan.h"

namespace amp_o2 {
namespace {

std::string name_of(sz_role role) {
  switch (role) {
    case SZ_ROLE_EMBEDDING:
    case SZ_ROLE_POSITION: return "embedding";
    case SZ_ROLE_NORM: return "norm";
    case SZ_ROLE_BIAS: return "bias";
    default: return "matrix";
  }
}

}  // namespace

bool keeps_fp32(const DtypeChoice& choice, sz_role role) {
  for (const std::string& name : choice.keep_fp32) {
    if (name == name_of(role)) return true;
  }
  return false;
}

void fill_plan(const DtypeChoice& choice, std::span<const sz_role> roles, std::span<sz_parameter_dtypes> parameters,
               std::span<sz_segment_dtypes> segments) {
  if (choice.level == Level::kO1) {
    for (sz_segment_dtypes& segment : segments) {
      segment.autocast = choice.low == SZ_F16 ? SZ_AUTOCAST_F16 : SZ_AUTOCAST_BF16;
    }
  }
  if (choice.level != Level::kO2) return;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!keeps_fp32(choice, roles[i])) parameters[i].compute = uint8_t(choice.low);
  }
  for (sz_segment_dtypes& segment : segments) segment.activation = uint8_t(choice.low);
}

}  // namespace amp_o2
