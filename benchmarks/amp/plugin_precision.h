// The plugin amp_o2 as a run's precision, loaded by the real host from SZ_PLUGINS.
#pragma once
#include <string>

#include "plugin_host/host.h"
#include "train/trainer.h"

namespace sz::bench {

class PluginPrecision {
 public:
  // level "O1" or "O2", dtype "fp16" or "bf16".
  PluginPrecision(const std::string& level, const std::string& dtype, Communicator& comm, RunServices& services,
                  HookTable& hooks, ModelDeclaration& model) {
    const ConfigDocument document = ConfigDocument::parse(
        "[plugins]\nsearch = [\"" SZ_PLUGINS "\"]\n[plugins.amp_o2]\nenabled = true\nopt_level = \"" + level +
            "\"\ndtype = \"" + dtype + "\"\n", "amp.toml");
    host_ = PluginHost::discover(document);
    Schema schema;
    schema.add({"plugins.search", KeyType::kStringList, "[]", "folders"});
    schema.add({"train.grad_clip", KeyType::kFloat, "", "limit of the gradient norm"});
    host_.add_schema(schema);
    config_ = Config::resolve(document, schema, host_.faults());
    RunContext context;
    context.config = &config_;
    context.services = &services;
    context.comm = &comm;
    context.name = "benchmark";
    host_.make_plan(config_);
    host_.create();
    host_.start(context);
    host_.attach(hooks, registry_);
    host_.set_model(&model);
  }
  ~PluginPrecision() { host_.stop(); }

  Precision* precision() const { return host_.precision(); }

 private:
  PluginHost host_;
  Config config_;
  ServiceRegistry registry_;
};

}  // namespace sz::bench
