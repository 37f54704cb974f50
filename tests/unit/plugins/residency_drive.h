// A residency without a model around it: parameters of any shape, gradients that are a function of (parameter's
// values, rank, step, micro-batch), and the loop's calls in the loop's order.
#pragma once
#include <ATen/ops/empty.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "ops/reduce_check.h"
#include "unit/plugins/sharded_run.h"

namespace sz::test {

struct DriveSpec {
  int ranks = 2;
  std::vector<std::vector<int64_t>> shapes;  // of parameters "p0", "p1", ...
  std::vector<std::vector<int>> segments;    // parameters of "s0", "s1", ...
  std::vector<int> head;
  std::set<int> frozen;
  ParameterDtypes dtypes;
  int steps = 3, micro_batches = 1;
  bool keep_stable = false;
  std::vector<std::string> states = {"exp_avg", "exp_avg_sq"};
  // Whether a parameter gets a gradient; empty: always.
  std::function<bool(int parameter, int rank, int step)> used;
  // The order of a forward pass; empty: as declared. Backward is its reverse.
  std::function<std::vector<int>(int rank, int step)> order;
  // Called at fixed points, on every rank: "built", "step" (after each), with what is there.
  std::function<void(const std::string& point, int step, Residency&, Communicator&)> at;
  std::function<void(int segment, bool backward, int step, Communicator&)> at_segment;
  CommOptions comm;
};

struct DriveResult {
  Arrays arrays;
  std::vector<double> norms;  // of each step's gradient
};

using MakeResidency = std::function<Residency*(RankParts&)>;

inline ModelDeclaration declare(const DriveSpec& spec) {
  ModelDeclaration model;
  for (size_t p = 0; p < spec.shapes.size(); ++p) {
    ParameterDeclaration parameter;
    parameter.name = "p" + std::to_string(p);
    parameter.shape = spec.shapes[p];
    parameter.trainable = !spec.frozen.count(int(p));
    parameter.decay = p % 2 == 0;
    model.parameters.push_back(parameter);
  }
  for (size_t s = 0; s < spec.segments.size(); ++s) {
    model.segments.push_back({"s" + std::to_string(s), spec.segments[s], nullptr});
  }
  model.head.name = "head";
  model.head.parameters = spec.head;
  return model;
}

// Deterministic, different for each rank, step and micro-batch, and a function of the parameter's values.
inline at::Tensor gradient_of(const at::Tensor& parameter, int p, int rank, int step, int micro_batch) {
  const at::Tensor values = parameter.detach().to(at::kFloat).contiguous();
  at::Tensor gradient = at::empty(values.sizes(), at::kFloat);
  const float* const in = values.const_data_ptr<float>();
  float* const out = gradient.data_ptr<float>();
  const uint64_t key = mix(uint64_t(p * 1000 + rank), uint64_t(step * 100 + micro_batch));
  for (int64_t i = 0; i < values.numel(); ++i) {
    out[i] = 0.1f * in[i] + float(to_unit(uint32_t(mix(key, uint64_t(i))))) - 0.5f;
  }
  return gradient.to(parameter.scalar_type());
}

class Drive {
 public:
  Drive(const DriveSpec& spec, RankParts& parts, Residency& residency)
      : spec_(spec), parts_(parts), residency_(residency) {}

  std::vector<double> run() {
    Residency::Setup setup;
    setup.model = &parts_.model;
    setup.dtypes.parameters.assign(spec_.shapes.size(), spec_.dtypes);
    setup.dtypes.segments.resize(spec_.segments.size());
    setup.comm = parts_.comm;
    setup.seed = 11;
    setup.optimizer_states = spec_.states;
    setup.keep_stable = spec_.keep_stable;
    residency_.build(setup);
    tell("built", 0);
    AdamWParams params;
    params.eps = 1e-4;
    const auto optimizer = make_adamw(params);
    std::vector<double> norms;
    for (int step = 0; step < spec_.steps; ++step) norms.push_back(one_step(step, *optimizer));
    return norms;
  }

 private:
  void tell(const std::string& point, int step) {
    if (spec_.at) spec_.at(point, step, residency_, *parts_.comm);
  }

  std::vector<int> order(int step) const {
    if (spec_.order) return spec_.order(parts_.rank(), step);
    std::vector<int> order;
    for (size_t s = 0; s < spec_.segments.size(); ++s) order.push_back(int(s));
    return order;
  }

  void forward(int s, int step) {
    if (spec_.at_segment) spec_.at_segment(s, false, step, *parts_.comm);
    double sum = 0;  // of every byte: it must be there
    for (const at::Tensor& t : residency_.acquire(s, Mode::kTrain)) sum += t.detach().sum().item<double>();
    EXPECT_TRUE(std::isfinite(sum));
    residency_.release(s, Mode::kTrain);
  }

  void backward(int s, int step, int micro_batch) {
    if (spec_.at_segment) spec_.at_segment(s, true, step, *parts_.comm);
    const TensorList parameters = residency_.acquire(s, Mode::kTrain);
    TensorList gradients;
    for (size_t i = 0; i < parameters.size(); ++i) {
      const int p = spec_.segments[size_t(s)][i];
      const bool used = parameters[i].requires_grad() && (!spec_.used || spec_.used(p, parts_.rank(), step));
      const int key = parts_.rank() * 10 + s;
      gradients.push_back(used ? gradient_of(parameters[i], p, key, step, micro_batch) : at::Tensor());
    }
    residency_.accumulate(s, micro_batch, micro_batch + 1 == spec_.micro_batches, std::move(gradients));
    residency_.release(s, Mode::kTrain);
  }

  double one_step(int step, Optimizer& optimizer) {
    residency_.begin_step();
    const std::vector<int> forwards = order(step);
    for (int m = 0; m < spec_.micro_batches; ++m) {
      for (const int s : forwards) forward(s, step);
      for (auto s = forwards.rbegin(); s != forwards.rend(); ++s) backward(*s, step, m);
    }
    residency_.finish_gradients();
    const GradientFacts facts = residency_.gradient_facts();
    EXPECT_EQ(facts.non_finite, 0);
    double squares = facts.sum_squares;
    parts_.comm->all_reduce(Channel::kScalar, &squares, 1, DType::kF64)->wait();
    residency_.for_each_unit([&](UpdateUnit& unit) { optimizer.update(unit, {step + 1, 1e-3, 1.0}); });
    residency_.parameters_updated();
    tell("step", step);
    return double(float(std::sqrt(squares)));
  }

  const DriveSpec& spec_;
  RankParts& parts_;
  Residency& residency_;
};

inline DriveResult drive(const DriveSpec& spec, const MakeResidency& make) {
  log::set_stderr_level(log::Level::kError);
  DriveResult result;
  std::mutex mutex;
  CommOptions comm = spec.comm;
  comm.timeout_s = 60;
  run_thread_ranks(spec.ranks, [&](Communicator& own) {
    set_intra_op_threads(1);
    RankParts parts;
    parts.comm = &own;
    parts.model = declare(spec);
    Residency* const residency = make(parts);
    try {
      const std::vector<double> norms = Drive(spec, parts, *residency).run();
      const std::lock_guard lock(mutex);
      export_into(*residency, result.arrays);
      result.norms = norms;
    } catch (const std::exception& e) {
      own.abort(e.what());  // before anything waits in a destructor
      throw;
    }
  }, comm);
  return result;
}

inline Residency* replicated(RankParts& parts) {
  parts.residency = make_replicated_residency({});
  return parts.residency.get();
}

inline MakeResidency zero3(const std::string& keys, const std::string& decisions = "") {
  return [=](RankParts& parts) {
    use_plugins(parts, zero3_toml(keys), decisions);
    return parts.residency.get();
  };
}

inline DriveResult drive_replicated(const DriveSpec& spec) { return drive(spec, replicated); }

}  // namespace sz::test
