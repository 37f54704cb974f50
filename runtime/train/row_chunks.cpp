#include "train/row_chunks.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

namespace sz {
namespace {

bool half_precision(const at::Tensor& t) {
  return t.scalar_type() == at::kHalf || t.scalar_type() == at::kBFloat16;
}

}  // namespace

std::vector<RowRange> row_ranges(const SegmentCall& call, int chunks) {
  const int64_t rows = int64_t(call.context.positions.size());
  const auto cut = [rows](const at::Tensor& t) { return !t.defined() || (t.dim() > 0 && t.size(0) == rows); };
  const bool all = std::all_of(call.inputs.begin(), call.inputs.end(), cut) &&
                   std::all_of(call.grad_outputs.begin(), call.grad_outputs.end(), cut);
  const int64_t count = all ? std::min<int64_t>(chunks, rows) : 1;
  std::vector<RowRange> ranges;
  for (int64_t i = 0; i < count; ++i) ranges.push_back({rows * i / count, rows * (i + 1) / count});
  return ranges;
}

SegmentCall rows_of(const SegmentCall& call, const RowRange& rows) {
  const auto cut = [&rows](const TensorList& list) {
    TensorList part;
    for (const at::Tensor& t : list) {
      part.push_back(t.defined() ? t.detach().narrow(0, rows.begin, rows.end - rows.begin) : t);
    }
    return part;
  };
  SegmentCall chunk;
  chunk.context = call.context;
  chunk.context.positions = call.context.positions.subspan(size_t(rows.begin), size_t(rows.end - rows.begin));
  chunk.segment = call.segment;
  chunk.declaration = call.declaration;
  chunk.parameters = call.parameters;
  chunk.parameters_given = call.parameters_given;
  chunk.inputs = cut(call.inputs);
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (call.inputs[i].defined()) chunk.inputs[i].requires_grad_(call.inputs[i].requires_grad());
  }
  chunk.grad_outputs = cut(call.grad_outputs);
  return chunk;
}

void RowGradients::add(const RowRange& rows, SegmentGradients chunk) {
  add_parameters(std::move(chunk.parameters));
  add_inputs(rows, std::move(chunk.inputs));
}

void RowGradients::add_parameters(TensorList chunk) {
  sum_.parameters.resize(chunk.size());
  types_.resize(chunk.size(), at::kFloat);
  for (size_t i = 0; i < chunk.size(); ++i) {
    if (!chunk[i].defined()) continue;
    types_[i] = chunk[i].scalar_type();
    const at::Tensor wide = half_precision(chunk[i]) ? chunk[i].to(at::kFloat) : chunk[i];
    at::Tensor& sum = sum_.parameters[i];
    sum = sum.defined() ? sum + wide : wide;
  }
}

SegmentGradients RowGradients::take() {
  for (size_t i = 0; i < types_.size(); ++i) {
    if (sum_.parameters[i].defined()) sum_.parameters[i] = sum_.parameters[i].to(types_[i]);
  }
  return std::move(sum_);
}

void RowGradients::add_inputs(const RowRange& rows, TensorList chunk) {
  sum_.inputs.resize(chunk.size());
  for (size_t i = 0; i < chunk.size(); ++i) {
    if (!chunk[i].defined()) continue;
    at::Tensor& whole = sum_.inputs[i];
    if (!whole.defined()) whole = at::zeros_like(call_.inputs[i], chunk[i].options());
    whole.narrow(0, rows.begin, rows.end - rows.begin).copy_(chunk[i]);
  }
}

}  // namespace sz
