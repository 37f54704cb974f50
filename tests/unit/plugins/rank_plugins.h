// One rank's plugins in the harness of tests/unit/train, loaded as the application loads them.
#pragma once
#include <string>
#include <utility>

#include "plugin_host/loaded_plugins.h"
#include "unit/train/training.h"

namespace sz::test {

class RankPlugins {
 public:
  // toml: [plugins.NAME] tables, of the real build's plugins and the tests' own. decisions: a file, or empty. context:
  // what the test gives beyond the rank's own.
  RankPlugins(const std::string& toml, const std::string& decisions, RankParts& parts, RunContext context = {})
      : log_(parts.rank() == 0 ? decisions : "", Language::kEnglish),
        plugins_(toml, {SZ_PLUGINS, SZ_TEST_PLUGINS},
                 {{"train.grad_clip", KeyType::kFloat, "", "limit of the gradient norm"}}),
        host(plugins_.host()) {
    context.services = &parts.services;
    context.decisions = &log_;
    context.comm = parts.comm;
    context.name = "test";
    context.seed = 11;
    context.memory_limit = memory_limit;
    plugins_.start(std::move(context), parts.hooks);
    host.set_model(&parts.model);
  }

  static inline uint64_t memory_limit = 0;

 private:
  DecisionLog log_;
  LoadedPlugins plugins_;

 public:
  PluginHost& host;
};

}  // namespace sz::test
