#include "plugin_host/plugin_sampler.h"

#include "plugin_host/arguments.h"

namespace sz {

PluginSampler::PluginSampler(PluginInstance& plugin)
    : plugin_(plugin), table_(plugin.extension<sz_sampler>(SZ_SAMPLER)) {
  if (!table_->setup || !table_->initial_state || !table_->plan) {
    throw Error(Exit::kPlugin, "plugin '" + plugin.id() + "': sz.sampler/1 lacks one of its functions");
  }
}

void PluginSampler::setup(const SamplerSetup& setup) {
  setup_ = setup;
  const sz_sampler_setup lent = {sizeof(sz_sampler_setup), 0, setup.samples, setup.global_batch, setup.seed};
  check(table_->setup(plugin_.self(), &lent), plugin_.id(), "sampler setup");
}

std::string PluginSampler::initial_state() const {
  std::string state;
  const sz_sink sink = string_sink(state);
  check(table_->initial_state(plugin_.self(), &sink), plugin_.id(), "sampler's initial state");
  return state;
}

std::pair<Plan, std::string> PluginSampler::plan(const std::string& state) const {
  std::vector<sz_plan_item> items(size_t(setup_.global_batch));
  std::string next;
  const sz_sink sink = string_sink(next);
  uint64_t count = 0;
  check(table_->plan(plugin_.self(), {state.c_str(), state.size()}, items.size(), items.data(), &count, &sink),
        plugin_.id(), "sampler plan");
  Plan plan;
  for (uint64_t i = 0; i < std::min<uint64_t>(count, items.size()); ++i) {
    const sz_plan_item& item = items[i];
    plan.push_back({item.sample, item.position, item.transform, item.flags, item.seed});
  }
  check_plan(plan, count);
  return {std::move(plan), std::move(next)};
}

void PluginSampler::check_plan(const Plan& plan, uint64_t count) const {
  const std::string who = "plugin '" + plugin_.id() + "': sampler plan: ";
  if (count == 0 || count > uint64_t(setup_.global_batch)) {
    throw Error(Exit::kPlugin, who + "it says " + std::to_string(count) + " samples; a plan has 1 to " +
                                   std::to_string(setup_.global_batch));
  }
  for (const PlanItem& item : plan) {
    if (item.sample >= 0 && item.sample < setup_.samples) continue;
    throw Error(Exit::kPlugin, who + "there is no sample " + std::to_string(item.sample) + "; the split has " +
                                   std::to_string(setup_.samples));
  }
}

}  // namespace sz
