// sz.precision/1 as the slot's owner.
#pragma once
#include <sz/slots.h>

#include <string>

#include "plugin_host/instance.h"
#include "train/slots.h"

namespace sz {

class PluginPrecision final : public Precision {
 public:
  // `state`: the plugin's, or null.
  PluginPrecision(PluginInstance& plugin, Stateful* state);
  std::string name() const override { return plugin_.id(); }
  DtypePlan plan(const ModelDeclaration& model) override;
  double scale() const override;
  Vote judge(const StepFacts& facts) override;
  Stateful* stateful() override { return state_; }

 private:
  PluginInstance& plugin_;
  const sz_precision* table_;
  Stateful* state_;
};

}  // namespace sz
