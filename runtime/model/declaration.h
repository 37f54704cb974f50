// A model as data: what its parameters and segments are, before a byte of it exists.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/segment.h"

namespace sz {

enum class Role : uint8_t { kEmbedding = 0, kPosition = 1, kNorm = 2, kBias = 3, kMatrix = 4 };
const char* name_of(Role role);

enum class Init : uint8_t { kZeros = 0, kOnes = 1, kNormal = 2 };

struct ParameterDeclaration {
  std::string name;  // unique: "block.0.attention.qkv.weight"
  std::vector<int64_t> shape;
  Role role = Role::kMatrix;
  Init init = Init::kNormal;
  double init_std = 0.02;
  bool decay = true;  // takes weight decay
  bool trainable = true;
  int64_t numel() const;
};

struct SegmentDeclaration {
  std::string name;  // "block.0.attention"
  // Indices into ModelDeclaration::parameters, in the order in which the segment takes them. An index
  // that stands in several segments is shared (tied).
  std::vector<int> parameters;
  std::shared_ptr<const Segment> segment;
};

struct ModelDeclaration {
  std::vector<ParameterDeclaration> parameters;
  // In the order of the forward pass. The first takes {ids [rows, cols] int64}; each hands its outputs to the
  // next; the last is the loss and takes {hidden, labels [rows, cols] int64, token weight [rows, cols] fp32}
  // and gives {scalar, per-token loss [rows, cols] fp32, per-token correct [rows, cols] uint8}.
  std::vector<SegmentDeclaration> segments;
  SegmentDeclaration head;  // {hidden [rows, cols, width]} -> {logits [rows, cols, vocabulary]}, for generation
  int64_t vocabulary = 0, context = 0;

  int64_t parameter_count() const;  // elements, shared ones once
  int find_parameter(const std::string& name) const;  // -1 when absent
};

}  // namespace sz
