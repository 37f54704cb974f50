// The slot residency at its simplest: every parameter whole and fp32 on every rank, one update unit a parameter,
// gradients summed over ranks at the end of a step.
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <sz/comm.hpp>
#include <sz/model.hpp>
#include <sz/plugin.hpp>
#include <sz/residency.hpp>
#include <sz/torch.hpp>

namespace {

class TestResidency : public sz::Plugin, public sz::Residency {
 public:
  static sz::Descriptor describe() {
    return sz::Descriptor("test_residency", "1.0.0")
        .licence("Apache-2.0")
        .summary("keeps everything everywhere")
        .need(SZ_NEED_INTERFACE, SZ_TORCH)
        .slot("residency");
  }
  explicit TestResidency(sz::Host host) : Plugin(host) {}

  void start() override {
    torch_.emplace(host());
    comm_.emplace(host());
  }

  void build(const sz_residency_setup& setup) override {
    model_.emplace(host(), setup.model);
    keep_stable_ = setup.keep_stable != 0;
    for (const char* const* state = setup.optimizer_states; *state; ++state) state_names_.push_back(*state);
    for (uint64_t i = 0; i < setup.parameter_count; ++i) {
      const sz_parameter_info info = model_->parameter(int64_t(i));
      Parameter& p = parameters_.emplace_back();
      p.name = info.name;
      p.shape.assign(info.shape, info.shape + info.ndim);
      p.value = at::empty(p.shape, at::kFloat);
      p.gradient = at::zeros(p.shape, at::kFloat);
      for (size_t s = 0; s < state_names_.size(); ++s) p.states.push_back(at::zeros(p.shape, at::kFloat));
      model_->initialise(int64_t(i), setup.seed, 0, p.value.numel(), p.value.data_ptr<float>());
      p.value.requires_grad_(info.trainable != 0);
    }
  }

  void acquire(int32_t segment, sz_mode, sz_tensor_list* out) override {
    const sz_segment_info info = model_->segment(segment);
    for (uint32_t i = 0; i < info.parameter_count; ++i) torch_->append(out, parameters_[info.parameters[i]].value);
  }
  void release(int32_t, sz_mode) override {}
  void acquire_head(sz_tensor_list* out) override { acquire(-1, SZ_MODE_GENERATE, out); }
  void hold_all() override {}
  void let_go() override {}

  void begin_step() override {
    for (Parameter& p : parameters_) p.gradient.zero_();
  }
  void accumulate(int32_t segment, int32_t, bool, std::span<sz_tensor* const> gradients) override {
    const sz_segment_info info = model_->segment(segment);
    for (uint32_t i = 0; i < info.parameter_count; ++i) {
      if (gradients[i]) parameters_[info.parameters[i]].gradient.add_((*torch_)(gradients[i]));
    }
  }
  void finish_gradients() override {
    for (Parameter& p : parameters_) {
      sz::Work work = comm_->all_reduce(SZ_CHANNEL_REDUCE, p.gradient.data_ptr(), uint64_t(p.gradient.numel()), SZ_F32);
      const sz_work_times times = work.wait_timed();
      if (comm_->size() > 1 && !(times.posted > 0 && times.posted <= times.started && times.started <= times.finished)) {
        throw sz::Error(SZ_PLUGIN_FAILED, "the times of a collective are out of order");
      }
    }
  }
  sz_gradient_facts gradient_facts() override {
    sz_gradient_facts facts = {};
    facts.first_non_finite_parameter = -1;
    for (const Parameter& p : parameters_) {
      const float* g = p.gradient.data_ptr<float>();
      for (int64_t i = 0; i < p.gradient.numel(); ++i) {
        if (std::isfinite(g[i])) {
          facts.sum_squares += double(g[i]) * g[i] / comm_->size();
        } else {
          ++facts.non_finite;
        }
      }
    }
    return facts;
  }

  void for_each_unit(const UnitVisitor& visit) override {
    for (size_t i = 0; i < parameters_.size(); ++i) {
      Parameter& p = parameters_[i];
      std::vector<float*> states;
      for (at::Tensor& state : p.states) states.push_back(state.data_ptr<float>());
      const sz_param_range range = {int64_t(i), 0, 0, p.value.numel()};
      sz_update_unit unit = {};
      unit.struct_size = sizeof(unit);
      unit.name = p.name.c_str();
      unit.numel = p.value.numel();
      unit.master = p.value.data_ptr<float>();
      unit.gradient = p.gradient.data_ptr();
      unit.gradient_dtype = SZ_F32;
      unit.state_count = states.size();
      unit.state = states.data();
      unit.range_count = 1;
      unit.ranges = &range;
      visit(unit);
    }
  }
  void parameters_updated() override {}

  bool can_restore() const noexcept override { return keep_stable_; }
  void mark_stable() override {
    for (Parameter& p : parameters_) p.stable = p.value.detach().clone();
  }
  void restore() override {
    for (Parameter& p : parameters_) {
      if (!p.stable.defined()) throw sz::Error(SZ_PLUGIN_FAILED, "there is no stable state");
      p.value.detach().copy_(p.stable);
    }
  }

  void export_pieces(const PieceVisitor& visit) override {
    if (comm_->rank() == 0) pieces(visit);
  }
  void import_pieces(const PieceVisitor& fill) override { pieces(fill); }

 private:
  struct Parameter {
    std::string name;
    std::vector<int64_t> shape;
    at::Tensor value, gradient, stable;
    std::vector<at::Tensor> states;
  };

  void pieces(const PieceVisitor& visit) {
    for (Parameter& p : parameters_) {
      visit(piece(p, "master", p.value));
      for (size_t s = 0; s < state_names_.size(); ++s) visit(piece(p, state_names_[s].c_str(), p.states[s]));
    }
  }
  static sz_export_piece piece(const Parameter& p, const char* state, const at::Tensor& tensor) {
    return {sizeof(sz_export_piece), uint32_t(p.shape.size()), p.name.c_str(),           state, p.shape.data(),
            0,                       tensor.numel(),           tensor.data_ptr<float>()};
  }

  std::optional<sz::Torch> torch_;
  std::optional<sz::Comm> comm_;
  std::optional<sz::Model> model_;
  std::vector<std::string> state_names_;
  std::vector<Parameter> parameters_;
  bool keep_stable_ = false;
};

}  // namespace

SZ_REGISTER_PLUGIN(TestResidency, sz::Residency)
