// sz.decisions/1
#include <sz/host/decisions.h>

#include "plugin_host/arguments.h"
#include "plugin_host/instance.h"
#include "plugin_host/interfaces.h"

namespace sz {
namespace {

Decision to_decision(const sz_decision& from, const std::string& plugin, const RunPosition& position) {
  require_size(from.struct_size, offsetof(sz_decision, fields) + sizeof(from.fields), "decision");
  Decision decision;
  decision.step = position.step;
  decision.attempt = position.attempt;
  decision.plugin = plugin;
  decision.what = required_text(from.what, "what");
  decision.cause = required_text(from.cause, "cause");
  decision.from = to_scalar(from.from, "from");
  decision.to = to_scalar(from.to, "to");
  decision.text_en = optional_text(from.text_en);
  decision.text_zh = optional_text(from.text_zh);
  if (from.field_count > 0) require_pointer(from.fields, "fields");
  for (uint64_t i = 0; i < from.field_count; ++i) {
    const std::string name = required_text(from.fields[i].name, "fields.name");
    decision.details[name] = to_scalar(from.fields[i].value, "fields.value");
  }
  return decision;
}

sz_error* record(const sz_host* host, const sz_decision* decision) {
  return guarded([&] {
    PluginInstance& plugin = instance_of(host);
    plugin.require_main("sz.decisions record");
    plugin.require_phase("sz.decisions record", kStart | kRun | kStop);
    require_pointer(decision, "decision");
    const RunContext& context = plugin.run().context;
    const Decision made = to_decision(*decision, plugin.id(), plugin.run().position());
    if (context.decisions && context.comm->rank() == 0) context.decisions->write(made);
  });
}

}  // namespace

const void* decisions_interface() {
  static const sz_decisions table = {sizeof(sz_decisions), 0, &record};
  return &table;
}

}  // namespace sz
