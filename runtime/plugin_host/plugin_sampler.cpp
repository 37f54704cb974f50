#include "plugin_host/plugin_sampler.h"

#include <algorithm>

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

Transform PluginSampler::transform() {
  if (!table_->transform) return {};
  return [this](const PlanItem& item, SampleTokens& sample) {
    const sz_plan_item lent_item = {item.sample, item.position, item.transform, item.flags, item.seed};
    const sz_sample_tokens lent = {sizeof(sz_sample_tokens), 0,
                                   int64_t(sample.ids.size()), sample.ids.data(),
                                   sample.labels.data(),       sample.mask.data()};
    check(table_->transform(plugin_.self(), &lent_item, &lent), plugin_.id(), "sampler transform");
    check_tokens(sample);
  };
}

void PluginSampler::check_tokens(const SampleTokens& sample) const {
  const int64_t vocabulary = plugin_.run().source->vocabulary();
  const auto unknown = [&](int64_t id) { return id < 0 || id >= vocabulary; };
  for (const std::vector<int64_t>* ids : {&sample.ids, &sample.labels}) {
    const auto bad = std::find_if(ids->begin(), ids->end(), unknown);
    if (bad == ids->end()) continue;
    throw Error(Exit::kPlugin, "plugin '" + plugin_.id() + "': sampler transform: gives token " +
                                   std::to_string(*bad) + "; the vocabulary has " + std::to_string(vocabulary));
  }
}

void PluginSampler::check_plan(const Plan& plan, uint64_t count) const {
  const std::string who = "plugin '" + plugin_.id() + "': sampler plan: ";
  if (count == 0 || count > uint64_t(setup_.global_batch)) {
    throw Error(Exit::kPlugin, who + "it says " + std::to_string(count) + " samples; a plan has 1 to " +
                                   std::to_string(setup_.global_batch));
  }
  for (const PlanItem& item : plan) {
    if (item.transform != 0 && !table_->transform) {
      throw Error(Exit::kPlugin, who + "sample " + std::to_string(item.sample) + " has transform " +
                                     std::to_string(item.transform) + ", but the plugin has none");
    }
    if (item.sample >= 0 && item.sample < setup_.samples) continue;
    throw Error(Exit::kPlugin, who + "there is no sample " + std::to_string(item.sample) + "; the split has " +
                                   std::to_string(setup_.samples));
  }
}

}  // namespace sz
