// sz.around/1 as a Wrapper.
#pragma once
#include <sz/hooks.h>

#include <string>

#include "plugin_host/instance.h"

namespace sz {

// Errors of the plugin, of what it wraps, and of one that doesn't call next exactly once, leave as exceptions.
class PluginWrapper final : public Wrapper {
 public:
  explicit PluginWrapper(PluginInstance& plugin);
  std::string name() const override { return plugin_.id(); }
  bool wraps(Hook hook) const override;
  void segment_forward(SegmentCall& call, const Next& next) override;
  void segment_backward(SegmentCall& call, const Next& next) override;
  void optimizer_step(const HookInfo& info, const Next& next) override;

 private:
  PluginInstance& plugin_;
  const sz_around* table_;
};

}  // namespace sz
