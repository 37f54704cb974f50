// sz.events/1
#include <sz/host/events.h>

#include "plugin_host/arguments.h"
#include "plugin_host/instance.h"
#include "plugin_host/interfaces.h"

namespace sz {
namespace {

sz_error* publish(const sz_host* host, const char* name, uint64_t field_count, const sz_field* fields) {
  return guarded([&] {
    PluginInstance& plugin = instance_of(host);
    plugin.require_main("sz.events publish");
    plugin.require_phase("sz.events publish", kRun);
    Event event;
    event.name = required_text(name, "name");
    event.source = plugin.id();
    if (field_count > 0) require_pointer(fields, "fields");
    for (uint64_t i = 0; i < field_count; ++i) {
      event.fields.emplace_back(required_text(fields[i].name, "fields.name"),
                                to_scalar(fields[i].value, "fields.value"));
    }
    plugin.run().context.services->events.publish(std::move(event));
  });
}

void deliver(PluginInstance& plugin, sz_on_event on_event, void* context, const Event& event) {
  if (!plugin.in(kRun) || plugin.silenced()) return;
  std::vector<sz_field> fields;
  for (const auto& [name, value] : event.fields) fields.push_back({name.c_str(), to_value(value)});
  const RunPosition position = plugin.run().position();
  const sz_event lent = {sizeof(sz_event), 0, event.name.c_str(), event.source.c_str(), position.step,
                         position.attempt, fields.size(), fields.data()};
  // A listener is an observer: its failure silences the plugin, and the others hear the event all the same.
  if (sz_error* error = on_event(context, &lent)) plugin.fail_observer("event " + event.name, take_message(error));
}

sz_error* subscribe(const sz_host* host, const char* name, sz_on_event on_event, void* context) {
  return guarded([&] {
    PluginInstance& plugin = instance_of(host);
    plugin.require_main("sz.events subscribe");
    plugin.require_phase("sz.events subscribe", kStart);
    require_pointer(reinterpret_cast<const void*>(on_event), "on_event");
    plugin.run().context.services->events.subscribe(
        required_text(name, "name"),
        [&plugin, on_event, context](const Event& event) { deliver(plugin, on_event, context, event); });
  });
}

}  // namespace

const void* events_interface() {
  static const sz_events table = {sizeof(sz_events), 0, &publish, &subscribe};
  return &table;
}

}  // namespace sz
