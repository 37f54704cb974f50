#include "selective_recompute.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <stdexcept>

#include <sz/model.hpp>

#include "texts.h"

namespace recompute {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Levels are compared by the processor time of this thread, of which other programs on the machine take nothing away.
double own_microseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e6 * double(time.tv_sec) + 1e-3 * double(time.tv_nsec);
}

[[noreturn]] void bad_config(const std::string& what) {
  throw sz::Error(SZ_USAGE, "[plugins.selective_recompute] " + what);
}

// Runs f; errors of the offload file get the exit code of their kind.
template <class F>
void with_file(const F& f) {
  try {
    f();
  } catch (const StoreError& e) {
    const sz_code code = e.fault() == Fault::kFull ? SZ_EXHAUSTED : e.fault() == Fault::kBroken ? SZ_CORRUPT : SZ_USAGE;
    throw sz::Error(code, e.what());
  }
}

double bytes_of(sz_dtype dtype) {  // 0: not a floating one
  switch (dtype) {
    case SZ_F64: return 8;
    case SZ_F32: return 4;
    case SZ_F16:
    case SZ_BF16: return 2;
    default: return 0;
  }
}

// Tables are looked up, but for the last segment, the loss, which takes a product with the head's.
SegmentShape shape_of(const sz::Model& model, int64_t index) {
  const sz_segment_info segment = model.segment(index);
  const bool last = index + 1 == model.segment_count();
  SegmentShape shape;
  for (uint32_t p = 0; p < segment.parameter_count; ++p) {
    const sz_parameter_info parameter = model.parameter(segment.parameters[p]);
    const bool matrix = parameter.role == SZ_ROLE_MATRIX || (last && parameter.role == SZ_ROLE_EMBEDDING);
    if (parameter.ndim == 2 && matrix) shape.products.push_back({parameter.shape[0], parameter.shape[1]});
    if (parameter.ndim == 2 && !matrix) shape.table = parameter.shape[1];
    if (parameter.ndim == 1 && parameter.role == SZ_ROLE_NORM) shape.norm = parameter.shape[0];
  }
  return shape;
}

}  // namespace

sz::Descriptor SelectiveRecompute::describe() {
  const sz::When on = {{"policy", SZ_NOT_EQUAL, {"off"}}};
  return sz::Descriptor("selective_recompute", "1.0.0")
      .licence("Apache-2.0")
      .summary("gives activations back and forms them again in backward, where that pays",
               "在划算之处释放激活值，并在反向时重新计算")
      .need(SZ_NEED_INTERFACE, SZ_TORCH, {{"offload", SZ_EQUAL, {"host"}}})
      .hook({SZ_SEGMENT_FORWARD, SZ_SEGMENT_BACKWARD}, {.when = on})
      .hook({SZ_MODEL_BUILT, SZ_STEP_BEGIN, SZ_LOSS_READY, SZ_GRADIENTS_REDUCED, SZ_VERDICT}, {.when = on})
      .key({.name = "policy", .type = SZ_KEY_STRING, .default_toml = "\"after_first_dropout\"",
            .help = "which segments are recomputed in backward",
            .choices = {"after_first_dropout", "all", "every_n", "list", "cheap", "budget", "off"}})
      .key({.name = "every", .type = SZ_KEY_INT, .default_toml = "2", .help = "policy every_n: each n-th block",
            .min = 1, .max = 1000})
      .key({.name = "segments", .type = SZ_KEY_STRING_LIST, .default_toml = "[]",
            .help = "policy list: names, with * and ?"})
      .key({.name = "memory_mb", .type = SZ_KEY_FLOAT, .default_toml = "0.0",
            .help = "policy budget: what the segments of a micro-batch may hold from forward to backward",
            .unit = "MiB", .min = 0, .max = 1e9})
      .key({.name = "slices", .type = SZ_KEY_INT, .default_toml = "1",
            .help = "chunks of rows that a segment is recomputed in", .min = 1, .max = 4096})
      .key({.name = "offload", .type = SZ_KEY_STRING, .default_toml = "\"none\"",
            .help = "where boundary tensors wait for backward", .choices = {"none", "host"}})
      .key({.name = "offload_path", .type = SZ_KEY_STRING, .default_toml = "\"\"",
            .help = "folder of the offload file; empty: the run's", .per_host = true});
}

void SelectiveRecompute::start() {
  calls_.emplace(host());
  alloc_.emplace(host());
  tensors_.emplace(host());
  decisions_.emplace(host());
  metrics_.emplace(host());
  run_.emplace(host());
  comm_.emplace(host());
  log_.emplace(host());
  read_config();
}

void SelectiveRecompute::read_config() {
  const sz::Config config(host());
  policy_.policy = config.get_string("policy");
  policy_.every = config.get_int("every");
  policy_.patterns = config.get_strings("segments");
  slices_ = config.get_int("slices");
  budget_bytes_ = config.get_float("memory_mb") * (1 << 20);
  if (policy_.policy == "list" && policy_.patterns.empty()) {
    bad_config("policy = \"list\" needs segments, such as [\"block.*.mlp\"]");
  }
  if (policy_.policy == "budget") {
    if (budget_bytes_ <= 0) bad_config("policy = \"budget\" needs memory_mb");
    for (size_t i = 0; i < kNumbers; ++i) scalars_.push_back(run_->add_scalar(("levels" + std::to_string(i)).c_str()));
  }
  if (config.has("train.micro_batch") && config.has("train.context")) {
    tokens_of_largest_ = double(config.get_int("train.micro_batch") * config.get_int("train.context"));
  }
  if (config.has("train.precision") && config.get_string("train.precision") == "bf16") element_bytes_ = 2;
  if (policy_.policy == "off" || config.get_string("offload") != "host") return;
  torch_.emplace(host());
  const std::string path = config.get_string("offload_path");
  with_file([&] { offload_ = std::make_unique<BoundaryOffload>(path.empty() ? run_->describe().folder : path); });
}

void SelectiveRecompute::on(const sz_hook_info& info) {
  switch (info.hook) {
    case SZ_MODEL_BUILT: return model_built(info);
    case SZ_STEP_BEGIN:
      ++attempt_;
      again_seconds_ = 0;
      return;
    case SZ_LOSS_READY:
      if (info.mode == SZ_MODE_TRAIN && element_bytes_ > 0) record_start();
      return;
    case SZ_GRADIENTS_REDUCED: return before_verdict();
    case SZ_VERDICT: return at_verdict(*info.facts);
    default: return;
  }
}

void SelectiveRecompute::model_built(const sz_hook_info& info) {
  const sz::Model model(host(), info.model);
  std::vector<std::string> names;
  for (int64_t s = 0; s < model.segment_count(); ++s) {
    names.emplace_back(model.segment(s).name);
    segments_.emplace_back();
    segments_.back().expected = expect(shape_of(model, s));
  }
  try {
    planner_.emplace(policy_, names);
  } catch (const std::invalid_argument& e) {
    fault_ = e.what();  // an observer's error would only switch it off: the wrapper's ends the run
    return;
  }
  costs_.emplace(planner_->kinds());
}

void SelectiveRecompute::see_shape(sz_segment_call* call, const sz_call_info& info, SegmentState& segment) {
  const sz_tensor_info input = tensors_->describe(calls_->get(call, SZ_CALL_INPUTS, 0));
  segment.rows = int64_t(info.context->position_count);
  segment.tokens = 1;
  for (uint32_t i = 0; i < input.ndim && i < 2; ++i) segment.tokens *= double(input.shape[i]);
  segment.tokens = std::max(segment.tokens, 1.0);
  micro_batch_tokens_ = std::max(micro_batch_tokens_, segment.tokens);
}

// A 16-bit matrix tells, and so does what a hand-written segment saved: the one sign of an autocast.
void SelectiveRecompute::see_dtype(sz_segment_call* call, SegmentState& segment) {
  for (const sz_call_list list : {SZ_CALL_SAVED, SZ_CALL_PARAMETERS}) {
    for (uint64_t i = 0; segment.element_bytes == 0 && i < calls_->count(call, list); ++i) {
      const sz_tensor* const handle = calls_->get(call, list, i);
      if (!handle) continue;
      const sz_tensor_info tensor = tensors_->describe(handle);
      if (list == SZ_CALL_SAVED || (tensor.ndim == 2 && bytes_of(tensor.dtype) == 2)) {
        segment.element_bytes = bytes_of(tensor.dtype);
      }
    }
  }
  if (element_bytes_ == 0) element_bytes_ = segment.element_bytes;
}

void SelectiveRecompute::segment_forward(sz_segment_call* call, const sz::Next& next) {
  if (!fault_.empty()) bad_config(fault_);
  const sz_call_info info = calls_->describe(call);
  if (info.context->mode != SZ_MODE_TRAIN || !planner_) return next();
  SegmentState& segment = segments_.at(size_t(info.segment));
  segment.has_cheap = info.save_levels > 0;
  segment.used = planner_->keep(attempt_, info.segment);
  if (segment.used == Keep::kCostly && !segment.has_cheap) segment.used = Keep::kAll;
  if (segment.used == Keep::kInputs) {
    calls_->set_keep_graph(call, false);
  } else {
    calls_->set_save_level(call, uint32_t(segment.used));
  }
  with_file([&] {
    if (offload_ && info.segment == 0) offload_->forget();
    if (offload_ && info.segment + 1 == planner_->segments()) offload_->finish_writing();
  });

  const double before = live_bytes(), start = own_microseconds();
  const auto begun = Clock::now();
  next();
  const double time = own_microseconds() - start;
  segment.seconds = seconds_since(begun);
  segment.held = live_bytes() - before;
  segment.away = 0;  // until the next segment is through with it
  see_shape(call, info, segment);
  if (info.segment + 1 < planner_->segments()) see_dtype(call, segment);  // the loss has a dtype of its own
  if (planner_->measures(attempt_)) {
    costs_->saw_forward(info.segment, segment.used, segment.tokens, segment.held, time);
  }
  if (offload_) with_file([&] { put_away(call, info); });
}

// The last segments' inputs are wanted again before they could be away.
void SelectiveRecompute::put_away(sz_segment_call* call, const sz_call_info& info) {
  offload_->empty_written();
  if (info.segment + 2 >= planner_->segments()) return;
  std::vector<at::Tensor> outputs;
  for (uint64_t i = 0; i < calls_->count(call, SZ_CALL_OUTPUTS); ++i) {
    sz_tensor* const output = calls_->get(call, SZ_CALL_OUTPUTS, i);
    if (output) outputs.push_back((*torch_)(output));
  }
  const at::Tensor& input = (*torch_)(calls_->get(call, SZ_CALL_INPUTS, 0));
  const uint64_t bytes = offload_->put_away(info.segment, input, outputs);
  if (info.segment > 0) segments_[size_t(info.segment) - 1].away = double(bytes);
}

void SelectiveRecompute::segment_backward(sz_segment_call* call, const sz::Next& next) {
  if (!planner_) return next();
  const sz_call_info info = calls_->describe(call);
  with_file([&] {
    if (!offload_) return;
    offload_->empty_written();
    offload_->bring_back(info.segment);
  });
  if (!info.graph_kept) run_again(call, info);
  const double start = own_microseconds();
  next();
  const double time = own_microseconds() - start;
  const SegmentState& segment = segments_.at(size_t(info.segment));
  if (planner_->measures(attempt_)) costs_->saw_backward(info.segment, segment.used, segment.tokens, time);
}

void SelectiveRecompute::run_again(sz_segment_call* call, const sz_call_info& info) {
  SegmentState& segment = segments_.at(size_t(info.segment));
  if (std::min(slices_, segment.rows) > 1) {
    // Running again and backward take turns inside next: what forward took stands for the former.
    again_seconds_ += segment.seconds;
    return calls_->forward_again_by_rows(call, uint32_t(slices_));
  }
  const double before = live_bytes(), start = own_microseconds();
  const auto begun = Clock::now();
  calls_->forward_again(call);
  const double time = own_microseconds() - start;
  again_seconds_ += seconds_since(begun);
  if (planner_->measures(attempt_)) {
    costs_->saw_recompute(info.segment, segment.tokens, live_bytes() - before, time);
  }
  see_dtype(call, segment);
  if (element_bytes_ > 0) record_start();
}

// Rank 0's choice travels in step scalars, of which the other ranks leave theirs at zero.
void SelectiveRecompute::before_verdict() {
  record_start();  // of a model that doesn't show its dtype
  metrics_->publish("seconds", again_seconds_);
  if (scalars_.empty() || attempt_ <= Planner::kLastMeasured || pages_received_ >= pages()) return;
  if (comm_->rank() != 0) return;
  if (!choice_) choose_for_the_budget();
  for (size_t i = 0; i < kNumbers && pages_received_ + i < pages(); ++i) {
    run_->set_scalar(scalars_[i], packed(choice_->keep, (pages_received_ + i) * kSegmentsANumber));
  }
}

void SelectiveRecompute::choose_for_the_budget() {
  const double tokens = tokens_of_largest_ > 0 ? tokens_of_largest_ : micro_batch_tokens_;
  for (int i = 0; i < planner_->segments(); ++i) {
    const SegmentState& segment = segments_[size_t(i)];
    SegmentCost cost = costs_->cost(i, tokens, segment.has_cheap);
    for (double& bytes : cost.bytes) bytes -= tokens * segment.away / segment.tokens;
    if (i + 1 == planner_->segments()) {  // the loss, whose gradients are formed in forward: there is no choice
      cost.bytes[1] = cost.bytes[2] = cost.bytes[0];
      cost.has_cheap = false;
    }
    budget_costs_.push_back(cost);
  }
  choice_ = choose_for_budget(budget_costs_, budget_bytes_);
}

void SelectiveRecompute::at_verdict(const sz_step_facts& facts) {
  if (attempt_ == Planner::kLastMeasured) record_measured();
  if (!scalars_.empty() && attempt_ > Planner::kLastMeasured && pages_received_ < pages()) take_over(facts);
}

void SelectiveRecompute::take_over(const sz_step_facts& facts) {
  received_.resize(segments_.size(), Keep::kAll);
  for (size_t i = 0; i < kNumbers && pages_received_ < pages(); ++i) {
    const std::string name = "selective_recompute.levels" + std::to_string(i);
    for (uint64_t s = 0; s < facts.scalar_count; ++s) {
      if (name != facts.scalar_names[s]) continue;
      if (!unpack(facts.scalar_values[s], pages_received_ * kSegmentsANumber, received_)) return;
      ++pages_received_;
      break;
    }
  }
  if (pages_received_ < pages()) return;
  if (choice_) {
    decisions_->record(budget_decision(*choice_, budget_bytes_));
    if (!choice_->fits) log_->warn("memory_mb can't be met: see the decision \"budget\"");
    for (int i = 0; i < planner_->segments(); ++i) {
      const Keep from = planner_->policy()[size_t(i)], to = received_[size_t(i)];
      if (from != to) decisions_->record(changed_decision(planner_->name(i), from, to, budget_costs_[size_t(i)]));
    }
  }
  planner_->set(received_);
}

}  // namespace recompute

SZ_REGISTER_PLUGIN(recompute::SelectiveRecompute, sz::Observer, sz::Around)
