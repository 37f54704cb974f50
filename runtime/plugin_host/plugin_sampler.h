// sz.sampler/1 as the slot's owner.
#pragma once
#include <sz/slots.h>

#include <string>
#include <utility>

#include "plugin_host/instance.h"
#include "train/slots.h"

namespace sz {

class PluginSampler final : public Sampler {
 public:
  explicit PluginSampler(PluginInstance& plugin);
  std::string name() const override { return plugin_.id(); }
  void setup(const SamplerSetup& setup) override;
  std::string initial_state() const override;
  // Errors, besides the plugin's own: Error(kPlugin) for a plan that is empty, too long, names a sample that isn't
  // there, or has transforms that the plugin lacks.
  std::pair<Plan, std::string> plan(const std::string& state) const override;
  uint64_t revision() const override { return plugin_.run().sampler_revision; }
  Transform transform() override;

 private:
  void check_plan(const Plan& plan, uint64_t count) const;
  void check_tokens(const SampleTokens& sample) const;

  PluginInstance& plugin_;
  const sz_sampler* table_;
  SamplerSetup setup_;
};

}  // namespace sz
