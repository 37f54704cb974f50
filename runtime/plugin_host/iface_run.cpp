// sz.run/1
#include <sz/host/run.h>

#include <algorithm>

#include "base/log.h"
#include "plugin_host/arguments.h"
#include "plugin_host/instance.h"
#include "plugin_host/interfaces.h"

namespace sz {
namespace {

sz_error* describe(const sz_host* host, sz_run_info* info) {
  return guarded([&] {
    PluginInstance& plugin = instance_of(host);
    plugin.require_main("sz.run describe");
    plugin.require_phase("sz.run describe", kStart | kRun);
    require_pointer(info, "info");
    require_size(info->struct_size, sizeof(sz_run_info), "info");
    const RunContext& context = plugin.run().context;
    const RunPosition at = plugin.run().position();
    const bool named = context.config->has("log.language");
    *info = {info->struct_size,
             0,
             context.name.c_str(),
             context.folder.c_str(),
             named ? context.config->get_string("log.language").c_str() : "en",
             context.seed,
             at.step,
             at.attempt,
             at.epoch,
             at.total_steps,
             at.steps_per_epoch,
             at.global_batch};
  });
}

sz_error* request(const sz_host* host, sz_request what, const char* reason) {
  return guarded([&] {
    PluginInstance& plugin = instance_of(host);
    plugin.require_phase("sz.run request", kRun);
    static constexpr const char* kNames[] = {"stop", "save", "evaluate"};
    if (what > SZ_REQUEST_EVALUATE) {
      throw Error(Exit::kPlugin, "argument 'request' is the unknown " + std::to_string(what));
    }
    log::info(plugin.id() + ": asks the run to " + kNames[what] + ": " + required_text(reason, "reason"));
    plugin.requests |= 1u << what;
  });
}

sz_error* add_scalar(const sz_host* host, const char* name, uint32_t* scalar) {
  return guarded([&] {
    PluginInstance& plugin = instance_of(host);
    plugin.require_main("sz.run add_scalar");
    plugin.require_phase("sz.run add_scalar", kStart);
    require_pointer(scalar, "scalar");
    const std::string whole = plugin.id() + "." + required_text(name, "name");
    ScalarBoard& board = plugin.run().context.services->scalars;
    if (std::find(board.names().begin(), board.names().end(), whole) != board.names().end()) {
      throw Error(Exit::kPlugin, "step scalar " + whole + " is there already");
    }
    *scalar = uint32_t(board.add(whole));
    plugin.scalars.push_back(*scalar);
  });
}

sz_error* set_scalar(const sz_host* host, uint32_t scalar, double value) {
  return guarded([&] {
    PluginInstance& plugin = instance_of(host);
    plugin.require_main("sz.run set_scalar");
    plugin.require_phase("sz.run set_scalar", kRun);
    if (std::find(plugin.scalars.begin(), plugin.scalars.end(), scalar) == plugin.scalars.end()) {
      throw Error(Exit::kPlugin, "step scalar " + std::to_string(scalar) + " was not given to this plugin");
    }
    plugin.run().context.services->scalars.set(int(scalar), value);
  });
}

EvalGrouping copy_grouping(const std::string& name, uint64_t group_count, const char* const* names,
                           uint64_t sample_count, const int32_t* group_of_sample) {
  EvalGrouping grouping;
  grouping.name = name;
  for (uint64_t g = 0; g < group_count; ++g) grouping.groups.push_back(required_text(names[g], "names"));
  std::vector<int32_t> groups(group_of_sample, group_of_sample + sample_count);
  for (const int32_t group : groups) {
    if (group < -1 || group >= int64_t(group_count)) {
      throw Error(Exit::kPlugin, "argument 'group_of_sample' holds " + std::to_string(group) + ", there are " +
                                     std::to_string(group_count) + " groups");
    }
  }
  grouping.group_of = [groups = std::move(groups)](int64_t sample) {
    return sample >= 0 && sample < int64_t(groups.size()) ? int(groups[size_t(sample)]) : -1;
  };
  return grouping;
}

sz_error* set_eval_groups(const sz_host* host, uint64_t group_count, const char* const* names, uint64_t sample_count,
                          const int32_t* group_of_sample) {
  return guarded([&] {
    PluginInstance& plugin = instance_of(host);
    plugin.require_main("sz.run set_eval_groups");
    if (plugin.run().hook != Hook::kEvalBegin) {
      throw Error(Exit::kPlugin, "sz.run set_eval_groups was called outside EVAL_BEGIN, where alone it is allowed");
    }
    if (group_count > 0) require_pointer(names, "names");
    if (sample_count > 0) require_pointer(group_of_sample, "group_of_sample");
    EvalGrouping grouping = copy_grouping(plugin.id(), group_count, names, sample_count, group_of_sample);
    std::vector<EvalGrouping>& all = plugin.run().context.services->groupings;
    std::erase_if(all, [&](const EvalGrouping& other) { return other.name == plugin.id(); });
    all.push_back(std::move(grouping));
  });
}

}  // namespace

const void* run_interface() {
  static const sz_run table = {sizeof(sz_run), 0,           &describe,       &request,
                               &add_scalar,    &set_scalar, &set_eval_groups};
  return &table;
}

}  // namespace sz
