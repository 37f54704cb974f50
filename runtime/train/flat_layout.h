// How a model's parameters lie in flat buffers: units, homogeneous in (users, dtypes, decay, trainable), one after
// the other in the order in which backward completes them.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/declaration.h"
#include "train/slots.h"

namespace sz {

struct FlatUnit {
  std::string name;              // "block.0.mlp/decay", "embedding+loss/decay"
  std::vector<int> users;        // segments that take its parameters, ascending; none: frozen, only kept
  std::vector<int> parameters;   // indices into the model's
  std::vector<int64_t> offsets;  // of each parameter within the unit, in elements, 64-byte aligned in any dtype
  int64_t begin = 0;             // of the unit within the buffer that holds all
  int64_t gradient_begin = 0;    // within the gradients of its accumulate dtype; of a trainable unit
  int64_t numel = 0;             // padding included, a multiple of kAlign
  bool decay = false, trainable = true;
  ParameterDtypes dtypes;
};

struct FlatLayout {
  static constexpr int64_t kAlign = 32;  // elements: 64 bytes of a 16-bit dtype
  std::vector<FlatUnit> units;           // trainable ones first; those that backward completes first come first
  int64_t numel = 0;                     // of all units
  int64_t trainable_numel = 0;           // of the trainable ones: a prefix
  std::map<DType, int64_t> gradient_numel;  // the same by accumulate dtype
  struct Place {
    int unit = -1, slot = -1;
  };
  std::vector<Place> places;  // by parameter
};

FlatLayout make_flat_layout(const ModelDeclaration& model, const DtypePlan& dtypes);

}  // namespace sz
