// sz.residency/1 as the slot's owner.
#pragma once
#include <sz/slots.h>

#include <string>

#include "plugin_host/instance.h"
#include "train/slots.h"

namespace sz {

class PluginResidency final : public Residency {
 public:
  explicit PluginResidency(PluginInstance& plugin);
  std::string name() const override { return plugin_.id(); }
  void build(const Setup& setup) override;

  TensorList acquire(int segment, Mode mode) override;
  void release(int segment, Mode mode) override;
  TensorList acquire_head() override;
  void hold_all() override;
  void let_go() override;

  void begin_step() override;
  void accumulate(int segment, int micro_batch, bool last, TensorList gradients) override;
  void finish_gradients() override;
  GradientFacts gradient_facts() override;

  void for_each_unit(const std::function<void(UpdateUnit&)>& visit) override;
  void parameters_updated() override;

  bool can_restore() const override;
  void mark_stable() override;
  void restore() override;

  void export_pieces(const std::function<void(const ExportPiece&)>& visit) override;
  void import_pieces(const std::function<void(const ExportPiece&)>& fill) override;

 private:
  void done(sz_error* error, const char* what) const { check(error, plugin_.id(), what); }

  PluginInstance& plugin_;
  const sz_residency* table_;
};

}  // namespace sz
