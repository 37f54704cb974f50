// A HookInfo as its C struct.
#pragma once
#include <sz/hooks.h>

#include <memory>
#include <optional>

#include "plugin_host/plugin_facts.h"

namespace sz {

// One is made for every call of a hook: what few hooks have is not touched at the others.
class HookInfoView {
 public:
  explicit HookInfoView(const HookInfo& info);
  const sz_hook_info* lend() const { return &view_; }

 private:
  struct Results {
    std::optional<FactsView> facts;
    std::optional<EvalView> eval;
  };
  void add_results(const HookInfo& info);

  sz_micro_batch batch_;  // filled where there is one
  sz_hook_info view_;
  std::unique_ptr<Results> results_;
};

}  // namespace sz
