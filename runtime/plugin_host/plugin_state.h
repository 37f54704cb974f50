// sz.state/1 as Stateful.
#pragma once
#include <sz/host/state.h>

#include <string>

#include "plugin_host/arguments.h"
#include "plugin_host/instance.h"
#include "train/slots.h"

namespace sz {

class PluginState final : public Stateful {
 public:
  explicit PluginState(PluginInstance& plugin) : plugin_(plugin), table_(plugin.extension<sz_stateful>(SZ_STATE)) {
    if (!table_->save || !table_->load) {
      throw Error(Exit::kPlugin, "plugin '" + plugin.id() + "': sz.state/1 lacks one of its functions");
    }
  }
  std::string state_id() const override { return plugin_.id(); }
  uint32_t state_version() const override { return plugin_.descriptor().state->version; }
  Scope scope() const override {
    return plugin_.descriptor().state->rollback ? Scope::kCheckpointAndRollback : Scope::kCheckpoint;
  }

  std::string save_state() const override {
    std::string bytes;
    const sz_sink sink = string_sink(bytes);
    check(table_->save(plugin_.self(), &sink), plugin_.id(), "saving its state");
    return bytes;
  }

  void load_state(const std::string& bytes, uint32_t version) override {
    check(table_->load(plugin_.self(), {bytes.c_str(), bytes.size()}, version), plugin_.id(), "loading its state");
  }

 private:
  PluginInstance& plugin_;
  const sz_stateful* table_;
};

}  // namespace sz
