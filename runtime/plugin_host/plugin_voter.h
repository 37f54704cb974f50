// sz.voter/1 as a Voter.
#pragma once
#include <sz/facts.h>

#include <string>

#include "plugin_host/instance.h"
#include "plugin_host/plugin_facts.h"
#include "train/slots.h"

namespace sz {

class PluginVoter final : public Voter {
 public:
  explicit PluginVoter(PluginInstance& plugin) : plugin_(plugin), table_(plugin.extension<sz_voter>(SZ_VOTER)) {
    if (!table_->judge) throw Error(Exit::kPlugin, "plugin '" + plugin.id() + "': sz.voter/1 lacks its function");
  }
  std::string name() const override { return plugin_.id(); }
  // A plugin whose observer failed votes no more from the VERDICT on at which all ranks learn of it.
  Vote vote(const StepFacts& facts) override {
    return plugin_.disabled() ? Vote() : ask(table_->judge, plugin_.self(), facts, plugin_.id());
  }

 private:
  PluginInstance& plugin_;
  const sz_voter* table_;
};

}  // namespace sz
