#include "model/declaration.h"

namespace sz {

const char* name_of(Role role) {
  switch (role) {
    case Role::kEmbedding: return "embedding";
    case Role::kPosition: return "position";
    case Role::kNorm: return "norm";
    case Role::kBias: return "bias";
    case Role::kMatrix: return "matrix";
  }
  return "?";
}

int64_t ParameterDeclaration::numel() const {
  int64_t n = 1;
  for (const int64_t extent : shape) n *= extent;
  return n;
}

int64_t ModelDeclaration::parameter_count() const {
  int64_t n = 0;
  for (const auto& parameter : parameters) n += parameter.numel();
  return n;
}

int ModelDeclaration::find_parameter(const std::string& name) const {
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name == name) return int(i);
  }
  return -1;
}

}  // namespace sz
