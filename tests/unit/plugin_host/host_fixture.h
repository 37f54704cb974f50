// A host with the test plugins, as the application would set it up.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "plugin_host/loaded_plugins.h"

namespace sz {

// One rank's run around a PluginHost, on a communicator that the test gives.
class TestRun {
 public:
  // Errors: those of LoadedPlugins.
  explicit TestRun(const std::string& toml, Communicator* comm = nullptr)
      : plugins(toml, {SZ_TEST_PLUGINS}), host(plugins.host()), config(plugins.config()), registry(plugins.registry()) {
    if (!comm) {
      own_comm = make_single_communicator();
      comm = own_comm.get();
    }
    context.services = &services;
    context.comm = comm;
    context.name = "test";
    context.seed = 7;
    context.position = [this] { return position; };
  }

  TestRun& start() {
    plugins.start(context, hooks);
    return *this;
  }

  void fire(Hook hook) {
    HookInfo info;
    info.hook = hook;
    fire(info);
  }
  void fire(HookInfo info) {
    info.step = position.step;
    info.attempt = position.attempt;
    hooks.fire(info);
  }
  // NaN where nobody has published it.
  double metric(const std::string& name) {
    double value = 0;
    return services.metrics.read(name, value) ? value : std::numeric_limits<double>::quiet_NaN();
  }
  std::string failures() {
    std::string text;
    for (const HookTable::Entry& entry : hooks.entries()) {
      if (entry.failed) text += entry.failed_in + ": " + entry.error;
    }
    return text;
  }

  std::unique_ptr<Communicator> own_comm;
  RunServices services;
  RunContext context;
  RunPosition position;
  HookTable hooks;
  LoadedPlugins plugins;
  PluginHost& host;
  const Config& config;
  ServiceRegistry& registry;
};

}  // namespace sz
