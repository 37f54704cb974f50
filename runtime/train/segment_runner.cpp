#include "train/segment_runner.h"

#include <ATen/ops/from_blob.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "base/error.h"
#include "ops/dtypes.h"
#include "ops/zero_count.h"
#include "train/autocast.h"
#include "train/row_chunks.h"

namespace sz {
namespace {

at::Tensor borrow(const std::vector<int64_t>& values, int64_t rows, int64_t cols) {
  return at::from_blob(const_cast<int64_t*>(values.data()), {rows, cols}, at::kLong);
}

at::Tensor borrow(const std::vector<float>& values, int64_t rows, int64_t cols) {
  return at::from_blob(const_cast<float*>(values.data()), {rows, cols}, at::kFloat);
}

bool trains(Mode mode) { return mode == Mode::kTrain || mode == Mode::kRecompute; }

// Runs body and puts the segment's name before what it throws; an Error keeps its exit code.
template <class Body>
void named(const SegmentCall& call, const char* doing, const Body& body) {
  const auto where = [&] { return "segment " + call.declaration->name + " (" + doing + "): "; };
  try {
    body();
  } catch (const Error& e) {
    throw Error(e.exit(), where() + e.what());
  } catch (const std::exception& e) {
    throw std::runtime_error(where() + e.what());
  }
}

// A view that crosses the boundary would keep all that it is a view of: unless backward has that saved anyway, the
// boundary gets a tensor of its own. (What a graph has saved can't be seen; that of a view needs no more than its shape.)
void compact(SegmentCall& call) {
  for (at::Tensor& output : call.outputs) {
    if (!output.defined() || output.storage().nbytes() <= size_t(output.numel() * output.element_size())) continue;
    const auto shares = [&](const at::Tensor& t) { return t.defined() && t.is_alias_of(output); };
    if (std::none_of(call.saved.begin(), call.saved.end(), shares)) output = output.clone();
  }
}

// Autograd over one segment: gradients of its inputs and parameters from those of its outputs.
SegmentGradients differentiate(const SegmentCall& call) {
  TensorList outputs, grads, wanted;
  for (size_t i = 0; i < call.outputs.size() && i < call.grad_outputs.size(); ++i) {
    if (!call.grad_outputs[i].defined() || !call.outputs[i].requires_grad()) continue;
    outputs.push_back(call.outputs[i]);
    grads.push_back(call.grad_outputs[i]);
  }
  for (const TensorList* list : {&call.inputs, &call.parameters}) {
    for (const at::Tensor& t : *list) {
      if (t.requires_grad()) wanted.push_back(t);
    }
  }
  TensorList found(wanted.size());
  if (!outputs.empty() && !wanted.empty()) {
    found = torch::autograd::grad(outputs, wanted, grads, /*retain_graph=*/false, /*create_graph=*/false,
                                  /*allow_unused=*/true);
  }
  SegmentGradients gradients;
  size_t next = 0;
  for (const at::Tensor& t : call.inputs) gradients.inputs.push_back(t.requires_grad() ? found[next++] : at::Tensor());
  for (const at::Tensor& t : call.parameters) {
    gradients.parameters.push_back(t.requires_grad() ? found[next++] : at::Tensor());
  }
  return gradients;
}

}  // namespace

SegmentRunner::SegmentRunner(Parts parts) : parts_(std::move(parts)) {
  for (const auto& wrapper : parts_.hooks->wrappers()) {
    if (wrapper->wraps(Hook::kSegmentForward)) forward_chain_.push_back(wrapper.get());
    if (wrapper->wraps(Hook::kSegmentBackward)) backward_chain_.push_back(wrapper.get());
  }
}

SegmentCall SegmentRunner::make_call(int segment, Mode mode, const MicroBatch& batch) const {
  SegmentCall call;
  call.segment = segment;
  call.declaration = &parts_.model->segments[segment];
  call.context.mode = mode;
  call.context.index = uint32_t(segment);
  call.context.seed = parts_.seed;
  call.context.positions = batch.position;
  call.keep_graph = mode == Mode::kTrain;
  return call;
}

// The first `boundary` inputs come from the segment before: detached, in the plan's dtype, taking gradients in training.
void SegmentRunner::cast_boundary(SegmentCall& call, size_t boundary) const {
  const at::ScalarType activation = to_torch(parts_.dtypes.segments[call.segment].activation);
  for (size_t i = 0; i < boundary; ++i) {
    at::Tensor input = call.inputs[i].detach();
    if (!input.is_floating_point()) continue;
    if (input.scalar_type() != activation && input.scalar_type() != at::kDouble) input = input.to(activation);
    if (trains(call.context.mode)) input.requires_grad_();
    call.inputs[i] = input;
  }
}

// The segment itself: with a graph where it is to be kept and autograd will run backward, else without.
void SegmentRunner::run_forward(SegmentCall& call) const {
  const Segment& segment = *call.declaration->segment;
  const bool keep = call.keep_graph && trains(call.context.mode);
  const SegmentDtypes& dtypes = parts_.dtypes.segments[call.segment];
  const AutocastGuard autocast(dtypes.autocast, to_torch(dtypes.autocast_dtype));
  const c10::AutoGradMode grad(keep && !segment.has_backward());
  call.saved.clear();
  call.outputs.clear();  // of a forward before this one: not to be held beside the new ones
  call.outputs = segment.forward(call.context, call.parameters, call.inputs,
                                 keep && segment.has_backward() ? &call.saved : nullptr);
  call.graph_kept = keep;
  if (call.context.mode == Mode::kTrain) compact(call);
}

void SegmentRunner::run_backward(SegmentCall& call) const {
  if (call.row_chunks > 1) return run_backward_by_rows(call);
  SZ_ASSERT(call.graph_kept);  // a wrapper that dropped the graph must call forward_again() before next()
  const Segment& segment = *call.declaration->segment;
  const AutocastGuard autocast(false);
  call.gradients = segment.has_backward()
                       ? segment.backward(call.context, call.parameters, call.inputs, call.saved, call.grad_outputs)
                       : differentiate(call);
}

// All is kept, whatever the first forward kept: it is used at once.
void SegmentRunner::recompute(SegmentCall& call, size_t inside) const {
  const Mode mode = std::exchange(call.context.mode, Mode::kRecompute);
  const int save_level = std::exchange(call.context.save_level, 0);
  call.keep_graph = true;
  // Whoever substitutes parameters does so again, from those that it was given.
  if (inside < call.parameters_given.size()) call.parameters = call.parameters_given[inside];
  forward_through(inside, call);
  call.context.mode = mode;
  call.context.save_level = save_level;
}

void SegmentRunner::run_backward_by_rows(SegmentCall& call) const {
  const std::vector<RowRange> chunks = row_ranges(call, call.row_chunks);
  if (chunks.size() < 2) {
    recompute(call, call.row_chunks_inside);
    call.row_chunks = 1;
    return run_backward(call);
  }
  RowGradients sum(call);
  call.outputs.clear();
  call.saved.clear();
  for (const RowRange& rows : chunks) {
    SegmentCall chunk = rows_of(call, rows);
    recompute(chunk, call.row_chunks_inside);
    run_backward(chunk);
    sum.add(rows, std::move(chunk.gradients));
  }
  call.gradients = sum.take();
}

void SegmentRunner::forward_through(size_t depth, SegmentCall& call) const {
  if (!forward_chain_.empty()) {
    call.parameters_given.resize(forward_chain_.size() + 1);
    call.parameters_given[depth] = call.parameters;
  }
  if (depth == forward_chain_.size()) return run_forward(call);
  forward_chain_[depth]->segment_forward(call, [&, depth] { forward_through(depth + 1, call); });
}

void SegmentRunner::backward_through(size_t depth, SegmentCall& call) const {
  if (depth == backward_chain_.size()) return run_backward(call);
  Wrapper* const self = backward_chain_[depth];
  // The wrappers inside the caller: those of forward that come after it, whether it wraps forward itself or not.
  size_t inside = 0;
  for (const auto& wrapper : parts_.hooks->wrappers()) {
    if (inside < forward_chain_.size() && forward_chain_[inside] == wrapper.get()) ++inside;
    if (wrapper.get() == self) break;
  }
  call.forward_again = [&call, inside, this] { recompute(call, inside); };
  call.forward_again_by_rows = [&call, inside, this](int chunks) {
    if (chunks < 2) return recompute(call, inside);
    call.row_chunks = chunks;
    call.row_chunks_inside = inside;
  };
  self->segment_backward(call, [&, depth] { backward_through(depth + 1, call); });
  call.forward_again = nullptr;
  call.forward_again_by_rows = nullptr;
}

void SegmentRunner::segment_forward(HookInfo& at, SegmentCall& call) {
  at.hook = Hook::kSegmentForward;
  at.segment = call.segment;
  at.segment_name = call.declaration->name.c_str();
  parts_.hooks->fire(at);
  call.parameters = parts_.residency->acquire(call.segment, call.context.mode);
  named(call, name_of(call.context.mode), [&] { forward_through(0, call); });
  parts_.residency->release(call.segment, call.context.mode);
}

PassOutput SegmentRunner::forward(HookInfo at, const MicroBatch& batch, const std::vector<float>& token_weight,
                                  Mode mode) {
  SZ_ASSERT(int64_t(token_weight.size()) == batch.rows * batch.cols);
  at.mode = mode;
  at.batch = &batch;
  calls_.clear();
  const int last = int(parts_.model->segments.size()) - 1;
  TensorList boundary = {borrow(batch.ids, batch.rows, batch.cols)};
  for (int i = 0; i <= last; ++i) {
    SegmentCall call = make_call(i, mode, batch);
    call.inputs = std::move(boundary);
    cast_boundary(call, call.inputs.size());
    if (i == last) {
      call.inputs.push_back(borrow(batch.labels, batch.rows, batch.cols));
      call.inputs.push_back(borrow(token_weight, batch.rows, batch.cols));
    }
    segment_forward(at, call);
    boundary = call.outputs;
    if (mode == Mode::kTrain) calls_.push_back(std::move(call));
  }
  PassOutput out{boundary[1].to(at::kFloat).contiguous(), boundary[2].contiguous()};
  at.hook = Hook::kLoss;
  at.token_loss = out.token_loss.const_data_ptr<float>();
  at.token_correct = out.token_correct.const_data_ptr<uint8_t>();
  parts_.hooks->fire(at);
  return out;
}

// Rows of tokens and positions that a batch lacks have zero gradients anyway: tables are left out. Under fp16 autocast
// those of matrices alone are formed in 16 bits; they come widened, zeros being zeros still.
void SegmentRunner::count_underflow(const SegmentCall& call) {
  const SegmentDtypes& dtypes = parts_.dtypes.segments[size_t(call.segment)];
  const bool widens = dtypes.autocast && dtypes.autocast_dtype == DType::kF16;
  for (size_t i = 0; i < call.gradients.parameters.size() && i < call.declaration->parameters.size(); ++i) {
    const at::Tensor& gradient = call.gradients.parameters[i];
    const Role role = parts_.model->parameters[size_t(call.declaration->parameters[i])].role;
    if (!gradient.defined() || role == Role::kEmbedding || role == Role::kPosition) continue;
    const bool narrow = gradient.is_floating_point() && gradient.element_size() == 2;
    const bool widened = widens && role == Role::kMatrix && gradient.scalar_type() == at::kFloat;
    if (!narrow && !widened) continue;
    const at::Tensor flat = gradient.contiguous();
    underflow_.entries += flat.numel();
    underflow_.zeros += narrow ? count_zeros(static_cast<const uint16_t*>(flat.const_data_ptr()), flat.numel())
                               : count_zeros(flat.const_data_ptr<float>(), flat.numel());
  }
}

void SegmentRunner::segment_backward(HookInfo& at, SegmentCall& call, bool last) {
  at.hook = Hook::kSegmentBackward;
  at.segment = call.segment;
  at.segment_name = call.declaration->name.c_str();
  parts_.hooks->fire(at);
  // The same tensors that forward was given, with their bytes there again.
  parts_.residency->acquire(call.segment, Mode::kTrain);
  named(call, "backward", [&] { backward_through(0, call); });
  count_underflow(call);
  parts_.residency->accumulate(call.segment, at.micro_batch, last, std::move(call.gradients.parameters));
  parts_.residency->release(call.segment, Mode::kTrain);
}

void SegmentRunner::backward(HookInfo at, const MicroBatch& batch, bool last) {
  SZ_ASSERT(calls_.size() == parts_.model->segments.size());
  at.mode = Mode::kTrain;
  at.batch = &batch;
  TensorList grads = {at::ones({}, calls_.back().outputs[0].options())};
  while (!calls_.empty()) {
    SegmentCall call = std::move(calls_.back());
    calls_.pop_back();
    call.grad_outputs = std::move(grads);
    segment_backward(at, call, last);
    grads = std::move(call.gradients.inputs);
    if (calls_.empty()) break;
    const TensorList& before = calls_.back().outputs;
    grads.resize(before.size());
    for (size_t i = 0; i < before.size(); ++i) {
      if (!grads[i].defined()) grads[i] = at::zeros_like(before[i]);
      if (grads[i].scalar_type() != before[i].scalar_type()) grads[i] = grads[i].to(before[i].scalar_type());
    }
  }
}

at::Tensor SegmentRunner::logits(const at::Tensor& ids, KeyValueCache* cache, int64_t past) {
  const MicroBatch none;
  TensorList boundary = {ids};
  for (int i = 0; i + 1 < int(parts_.model->segments.size()); ++i) {
    SegmentCall call = make_call(i, Mode::kGenerate, none);
    call.context.cache = cache;
    call.context.past = past;
    call.inputs = std::move(boundary);
    cast_boundary(call, call.inputs.size());
    call.parameters = parts_.residency->acquire(i, Mode::kGenerate);
    named(call, "generate", [&] { forward_through(0, call); });
    parts_.residency->release(i, Mode::kGenerate);
    boundary = std::move(call.outputs);
  }
  SegmentCall call;
  call.declaration = &parts_.model->head;
  call.context.mode = Mode::kGenerate;
  const TensorList parameters = parts_.residency->acquire_head();
  call.inputs = {boundary[0].detach().to(parameters[0].scalar_type())};
  const c10::AutoGradMode grad(false);
  return call.declaration->segment->forward(call.context, parameters, call.inputs, nullptr)[0];
}

}  // namespace sz
