// The plainest residency: parameters are leaves of any dtype, gradients are summed where a test can see them.
#pragma once
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>

#include <stdexcept>

#include "base/rng.h"
#include "train/slots.h"

namespace sz::test {

class LeafResidency final : public Residency {
 public:
  explicit LeafResidency(at::ScalarType type) : type_(type) {}

  TensorList parameters, gradients;  // by parameter; gradients undefined until one comes
  int acquired = 0, released = 0;

  std::string name() const override { return "leaves"; }
  // Values of a size that makes every segment's gradient visible, biases and norms included.
  void build(const Setup& setup) override {
    model_ = setup.model;
    gradients.resize(model_->parameters.size());
    for (const ParameterDeclaration& d : model_->parameters) {
      at::Tensor values = at::empty(d.shape, at::kDouble);
      double* const data = values.data_ptr<double>();
      for (int64_t i = 0; i < d.numel(); ++i) {
        const double draw = to_unit(philox(mix(setup.seed, hash_name(d.name)), uint64_t(i), 1)[0]) - 0.5;
        data[i] = (d.init == Init::kOnes ? 1.0 : 0.0) + 0.4 * draw;
      }
      parameters.push_back(values.to(type_).requires_grad_(d.trainable));
    }
  }
  TensorList acquire(int segment, Mode) override {
    ++acquired;
    return of(model_->segments[size_t(segment)]);
  }
  void release(int, Mode) override { ++released; }
  TensorList acquire_head() override { return of(model_->head); }
  void hold_all() override {}
  void let_go() override {}
  void begin_step() override { gradients.assign(parameters.size(), at::Tensor()); }
  void accumulate(int segment, int, bool, TensorList list) override {
    const std::vector<int>& places = model_->segments[size_t(segment)].parameters;
    for (size_t i = 0; i < places.size(); ++i) {
      at::Tensor& sum = gradients[size_t(places[i])];
      if (list[i].defined()) sum = sum.defined() ? sum + list[i] : list[i];
    }
  }
  void finish_gradients() override {}
  GradientFacts gradient_facts() override { return {}; }
  void for_each_unit(const std::function<void(UpdateUnit&)>&) override { no(); }
  void parameters_updated() override {}
  bool can_restore() const override { return false; }
  void mark_stable() override {}
  void restore() override { no(); }
  void export_pieces(const std::function<void(const ExportPiece&)>&) override { no(); }
  void import_pieces(const std::function<void(const ExportPiece&)>&) override { no(); }

 private:
  static void no() { throw std::logic_error("leaves cannot do that"); }
  TensorList of(const SegmentDeclaration& segment) const {
    TensorList list;
    for (const int p : segment.parameters) list.push_back(parameters[size_t(p)]);
    return list;
  }

  at::ScalarType type_;
  const ModelDeclaration* model_ = nullptr;
};

}  // namespace sz::test
