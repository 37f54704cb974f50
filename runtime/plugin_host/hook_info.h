// A HookInfo as its C struct.
#pragma once
#include <sz/hooks.h>

#include <optional>

#include "plugin_host/plugin_facts.h"

namespace sz {

class HookInfoView {
 public:
  explicit HookInfoView(const HookInfo& info);
  const sz_hook_info* lend() const { return &view_; }

 private:
  std::optional<FactsView> facts_;
  std::optional<EvalView> eval_;
  sz_micro_batch batch_;  // not filled where there is none: a view is made for every call of a hook
  sz_hook_info view_;
};

}  // namespace sz
