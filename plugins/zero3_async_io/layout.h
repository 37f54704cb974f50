// How a model's parameters lie in flat buffers that are cut into one shard a rank. Without LibTorch.
#pragma once
#include <sz/slots.h>

#include <cstdint>
#include <string>
#include <vector>

namespace zero3 {

struct ParameterSpec {
  std::string name;
  std::vector<int64_t> shape;
  int64_t numel = 0;
  bool decay = true, trainable = true;
  sz_parameter_dtypes dtypes = {SZ_F32, SZ_F32, SZ_F32, SZ_F32};
};

struct ModelSpec {
  std::vector<ParameterSpec> parameters;
  std::vector<std::string> segment_names;
  std::vector<std::vector<int>> segments;  // parameters of each, in the order in which it takes them
  std::vector<int> head;                   // parameters of hidden -> logits
};

// A flat buffer, homogeneous in (users, decay group, trainable, dtypes); the persistent ones are of all users together,
// since each unit costs a collective of its own, however small it is. Rank r's shard is elements
// [r * shard, (r + 1) * shard); what lies behind the last parameter is zero, never counted and never saved.
struct UnitPlan {
  std::string name;              // "block.0.mlp/decay", "embedding+loss/decay", "small/no_decay"
  std::vector<int> users;        // segments that take its parameters, ascending; none: frozen, only kept
  std::vector<int> parameters;   // indices into the model's
  std::vector<int64_t> offsets;  // of each parameter, in elements; 64-byte boundaries in the compute dtype
  int64_t numel = 0;             // behind the last parameter
  int64_t shard = 0;             // ceil(numel / ranks), rounded up to 64 bytes
  bool decay = false, trainable = true;
  bool persistent = false;       // small: whole on every rank in stage 3 as well
  sz_parameter_dtypes dtypes = {SZ_F32, SZ_F32, SZ_F32, SZ_F32};
};

struct Layout {
  struct Place {
    int unit = -1, slot = -1;
  };
  std::vector<UnitPlan> units;  // trainable ones first; those that backward completes first come first
  std::vector<Place> places;    // by parameter
  std::vector<std::vector<int>> units_of_segment;
  std::vector<int> units_of_head;
};

// Parameters of at most persist_threshold elements go into persistent units.
Layout make_layout(const ModelSpec& model, int ranks, int64_t persist_threshold);

// What rank's shard of the unit holds of the parameters: unit_offset counts from the shard's first element.
std::vector<sz_param_range> ranges_of(const UnitPlan& unit, const ModelSpec& model, int rank);

int64_t size_of(uint32_t dtype);  // bytes an element

}  // namespace zero3
