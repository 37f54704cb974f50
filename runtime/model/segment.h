// A segment: a piece of the model that runs, is sharded and is recomputed as one.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace sz {

using TensorList = std::vector<at::Tensor>;

// kTrain keeps what backward needs; kRecompute repeats a training forward with the same randomness;
// kEvaluate has no randomness; kGenerate has none either and may use a key-value cache.
enum class Mode : uint8_t { kTrain = 0, kRecompute = 1, kEvaluate = 2, kGenerate = 3 };
const char* name_of(Mode mode);

// Keys and values of past tokens, one pair a segment. Owned by who generates.
struct KeyValueCache {
  std::vector<at::Tensor> keys, values;  // [rows, heads, past, head width] each, undefined at first
};

// All that a segment may know besides its parameters and inputs.
struct SegmentContext {
  Mode mode = Mode::kTrain;
  uint32_t index = 0;  // place among the model's segments: part of the key of its randomness
  uint64_t seed = 0;
  std::span<const uint64_t> positions;  // of each row's sample in the data order; empty where unused
  KeyValueCache* cache = nullptr;       // kGenerate only
  int64_t past = 0;                     // tokens already in the cache
  // What a training forward keeps for backward: 0 all, 1 no longer what is cheap to form again (norms, activations,
  // masks). At most save_levels(). To keep the inputs alone is not the segment's affair but the loop's.
  int save_level = 0;
};

struct SegmentGradients {
  TensorList inputs;      // undefined where an input takes no gradient
  TensorList parameters;  // undefined where a parameter has no gradient
};

// Pure: the result depends on the arguments alone, and nothing is captured.
// Errors: std::exception of any kind; the loop names the segment. Thread: main (of the rank).
class Segment {
 public:
  virtual ~Segment() = default;

  // saved: not null where has_backward() and the pass is to be differentiated; receives what backward needs.
  virtual TensorList forward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                             TensorList* saved) const = 0;

  // A hand-written backward; without one the loop uses autograd over this segment alone.
  virtual bool has_backward() const { return false; }
  virtual SegmentGradients backward(const SegmentContext& context, const TensorList& parameters,
                                    const TensorList& inputs, const TensorList& saved,
                                    const TensorList& grad_outputs) const;

  // The highest SegmentContext::save_level that forward honours. Gradients are the same bits at any of them.
  virtual int save_levels() const { return 0; }
};

}  // namespace sz
