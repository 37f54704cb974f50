// A host with the test plugins, as the application would set it up.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "plugin_host/host.h"

namespace sz {

// One rank's run around a PluginHost, on a communicator that the test gives.
class TestRun {
 public:
  explicit TestRun(const std::string& toml, Communicator* comm = nullptr) {
    if (!comm) {
      own_comm = make_single_communicator();
      comm = own_comm.get();
    }
    const std::string search = "[plugins]\nsearch = [\"" SZ_TEST_PLUGINS "\"]\n";
    document = ConfigDocument::parse(search + toml, "test.toml");
    host = PluginHost::discover(document);
    Schema schema;
    schema.add({"plugins.search", KeyType::kStringList, "[]", "folders"});
    host.add_schema(schema);
    config = Config::resolve(document, schema, host.faults());
    context.config = &config;
    context.services = &services;
    context.comm = comm;
    context.name = "test";
    context.seed = 7;
    context.position = [this] { return position; };
  }
  ~TestRun() { host.stop(); }

  TestRun& start() {
    host.make_plan(config);
    host.create();
    host.start(context);
    host.attach(hooks, registry);
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
    for (const HookTable::Entry& entry : hooks.entries()) text += entry.error;
    return text;
  }

  std::unique_ptr<Communicator> own_comm;
  ConfigDocument document;
  Config config;
  RunServices services;
  RunContext context;
  RunPosition position;
  HookTable hooks;
  ServiceRegistry registry;
  PluginHost host;  // last: it is stopped before what it uses goes
};

}  // namespace sz
