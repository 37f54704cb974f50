// Whole runs on thread ranks with plugins of the real build in the slots, beside the harness of tests/unit/train.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "unit/plugins/rank_plugins.h"

namespace sz::test {

// Everything goes to a residency that somebody else owns.
class LentResidency final : public Residency {
 public:
  explicit LentResidency(Residency& owner) : owner_(owner) {}
  std::string name() const override { return owner_.name(); }
  void build(const Setup& setup) override { owner_.build(setup); }
  TensorList acquire(int segment, Mode mode) override { return owner_.acquire(segment, mode); }
  void release(int segment, Mode mode) override { owner_.release(segment, mode); }
  TensorList acquire_head() override { return owner_.acquire_head(); }
  void hold_all() override { owner_.hold_all(); }
  void let_go() override { owner_.let_go(); }
  void begin_step() override { owner_.begin_step(); }
  void accumulate(int segment, int micro_batch, bool last, TensorList gradients) override {
    owner_.accumulate(segment, micro_batch, last, std::move(gradients));
  }
  void finish_gradients() override { owner_.finish_gradients(); }
  GradientFacts gradient_facts() override { return owner_.gradient_facts(); }
  void for_each_unit(const std::function<void(UpdateUnit&)>& visit) override { owner_.for_each_unit(visit); }
  void parameters_updated() override { owner_.parameters_updated(); }
  bool can_restore() const override { return owner_.can_restore(); }
  void mark_stable() override { owner_.mark_stable(); }
  void restore() override { owner_.restore(); }
  void export_pieces(const std::function<void(const ExportPiece&)>& visit) override { owner_.export_pieces(visit); }
  void import_pieces(const std::function<void(const ExportPiece&)>& fill) override { owner_.import_pieces(fill); }

 private:
  Residency& owner_;
};

// Puts the plugins into the rank's parts. They live as long as the parts do.
inline RankPlugins* use_plugins(RankParts& parts, const std::string& toml, const std::string& decisions = "") {
  RankPlugins* const plugins = parts.own<RankPlugins>(toml, decisions, parts);
  if (Residency* residency = plugins->host.residency()) parts.residency = std::make_unique<LentResidency>(*residency);
  for (Voter* voter : plugins->host.voters()) parts.voters.push_back(voter);
  return plugins;
}

inline std::string zero3_toml(const std::string& keys) {
  return "[plugins.zero3_async_io]\nenabled = true\n" + keys + "\n";
}

// A run of `spec` with the sharded residency. keys: of its table, a line each.
inline RunResult train_sharded(RunSpec spec, const std::string& keys, const std::string& more_plugins = "",
                               const std::string& decisions = "") {
  const auto prepare = spec.prepare;
  spec.prepare = [=](RankParts& parts) {
    use_plugins(parts, zero3_toml(keys) + more_plugins, decisions);
    if (prepare) prepare(parts);
  };
  return train(spec);
}

}  // namespace sz::test
