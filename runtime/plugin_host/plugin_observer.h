// sz.observer/1 as an Observer.
#pragma once
#include <sz/hooks.h>

#include <string>

#include "plugin_host/instance.h"

namespace sz {

// Stands in the hook table once for each hook that it watches, so that each hook has its own order and its own time.
class PluginObserver final : public Observer {
 public:
  explicit PluginObserver(PluginInstance& plugin);
  std::string name() const override { return plugin_.id(); }
  void on(const HookInfo& info) override;

 private:
  PluginInstance& plugin_;
  const sz_observer* table_;
};

}  // namespace sz
