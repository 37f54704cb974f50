#include "plugin_host/plugin_observer.h"

#include <optional>

#include "plugin_host/handles.h"
#include "plugin_host/hook_info.h"

namespace sz {

PluginObserver::PluginObserver(PluginInstance& plugin)
    : plugin_(plugin), table_(plugin.extension<sz_observer>(SZ_OBSERVER)) {
  if (!table_->on) throw Error(Exit::kPlugin, "plugin '" + plugin.id() + "': sz.observer/1 lacks its function");
}

void PluginObserver::on(const HookInfo& info) {
  if (plugin_.silenced()) return;
  const HookInfoView view(info);
  HostRun& run = plugin_.run();
  struct Scope {  // what the plugin may do depends on the hook that it is in
    HostRun& run;
    ~Scope() {
      run.hook.reset();
      run.declaring = nullptr;
    }
  } scope{run};
  run.hook = info.hook;
  if (info.hook == Hook::kModelDeclared) run.declaring = info.model;
  // The hook table knows plugin and hook.
  if (sz_error* error = table_->on(plugin_.self(), view.lend())) throw Error(Exit::kPlugin, take_message(error));
}

}  // namespace sz
