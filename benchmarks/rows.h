// The peers' batches and first weights (written by peers/common.py) as a source, a sampler and a watch over a run.
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "benchmarks/equal_rows.h"
#include "benchmarks/measure.h"
#include "checkpoint/safetensors.h"
#include "ops/allocator.h"
#include "train/trainer.h"

namespace sz::bench {

template <class T>
std::vector<T> read_all(const SafetensorsReader& file, const std::string& name) {
  const TensorInfo* const tensor = file.find(name);
  SZ_ASSERT(tensor);
  std::vector<T> values(size_t(tensor->end - tensor->begin) / sizeof(T));
  file.read(*tensor, 0, tensor->end - tensor->begin, values.data());
  return values;
}

// The peers' rows: "ids" and "labels" [batches * batch, context].
class RowSource final : public EqualRows {
 public:
  RowSource(const SafetensorsReader& file, int64_t context, int64_t vocabulary)
      : RowSource(read_all<int64_t>(file, "ids"), read_all<int64_t>(file, "labels"), context, vocabulary) {}

  void read(Split, int64_t sample, SampleTokens& out) const override {
    const auto from = [&](const std::vector<int64_t>& all) { return all.begin() + sample * context(); };
    out.ids.assign(from(ids_), from(ids_) + context());
    out.labels.assign(from(labels_), from(labels_) + context());
    out.mask.assign(size_t(context()), 1.0f);
  }

 private:
  RowSource(std::vector<int64_t> ids, std::vector<int64_t> labels, int64_t context, int64_t vocabulary)
      : EqualRows(int64_t(ids.size()) / context, context, vocabulary), ids_(std::move(ids)),
        labels_(std::move(labels)) {}

  std::vector<int64_t> ids_, labels_;
};

// The rows in order, over and over, as the peers take them.
class InOrder final : public Sampler {
 public:
  std::string name() const override { return "in order"; }
  void setup(const SamplerSetup& setup) override { setup_ = setup; }
  std::string initial_state() const override { return "0"; }
  std::pair<Plan, std::string> plan(const std::string& state) const override {
    const int64_t begin = std::stoll(state);
    Plan plan;
    for (int64_t i = begin; i < begin + setup_.global_batch; ++i) {
      PlanItem item;
      item.sample = i % setup_.samples;
      item.position = uint64_t(i);
      plan.push_back(item);
    }
    return {std::move(plan), std::to_string(begin + setup_.global_batch)};
  }

 private:
  SamplerSetup setup_;
};

// Puts the peers' first weights in, and takes the time of each step.
class Watch final : public Observer {
 public:
  Watch(const SafetensorsReader& file, Residency& residency, int64_t warm_up)
      : file_(file), residency_(residency), warm_up_(warm_up) {}
  std::string name() const override { return "watch"; }

  void on(const HookInfo& info) override {
    if (info.hook == Hook::kModelBuilt) return take_weights(*info.model);
    if (info.hook == Hook::kStepBegin) {
      begun_ = seconds();
      return;
    }
    losses.push_back(info.facts->loss);
    peak_bytes = std::max(peak_bytes, allocator_stats().peak_bytes);
    if (losses.size() == 1) first_step_at = since_start();
    if (int64_t(losses.size()) > warm_up_) step_ms.push_back(1e3 * (seconds() - begun_));
    if (int64_t(losses.size()) == warm_up_) from = cpu_times();
    to = cpu_times();
  }

  std::vector<double> losses, step_ms;
  double first_step_at = 0;
  int64_t peak_bytes = 0;  // of tensors
  CpuTimes from, to;

 private:
  void take_weights(const ModelDeclaration& model) {
    std::map<std::string, std::vector<float>> weights;
    for (const ParameterDeclaration& p : model.parameters) weights[p.name] = read_all<float>(file_, p.name);
    residency_.import_pieces([&](const ExportPiece& piece) {
      if (piece.state != "master") return;
      const std::vector<float>& all = weights.at(piece.parameter);
      std::copy(all.begin() + piece.begin, all.begin() + piece.end, piece.data);
    });
  }

  const SafetensorsReader& file_;
  Residency& residency_;
  int64_t warm_up_;
  double begun_ = 0;
};

}  // namespace sz::bench
