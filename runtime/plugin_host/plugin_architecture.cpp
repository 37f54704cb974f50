// sz.architecture/1 and sz.loss/1
#include <sz/services.h>

#include "plugin_host/handles.h"
#include "plugin_host/plugin_services.h"

namespace sz {
namespace {

[[noreturn]] void fail(const PluginInstance& plugin, const std::string& what) {
  throw Error(Exit::kPlugin, "plugin '" + plugin.id() + "': " + what);
}

// The [model] table, out of the resolved file.
std::string model_table(const std::string& toml) {
  std::string table;
  bool inside = false;
  for (size_t at = 0; at < toml.size();) {
    const size_t end = std::min(toml.find('\n', at), toml.size());
    const std::string line = toml.substr(at, end - at);
    if (line.starts_with("[")) inside = line.starts_with("[model]") || line.starts_with("[model.");
    if (inside) table += line + "\n";
    at = end + 1;
  }
  return table;
}

class PluginArchitecture final : public Architecture {
 public:
  PluginArchitecture(PluginInstance& plugin, std::string name, PluginInstance::Provided provided)
      : plugin_(plugin), name_(std::move(name)), provided_(provided) {
    if (table().struct_size < sizeof(sz_architecture) || !table().declare) {
      fail(plugin, "sz.architecture/1 is incomplete");
    }
  }
  std::string name() const override { return name_; }

  ModelDeclaration declare(const ModelOptions& options, std::shared_ptr<const Loss> loss) const override {
    const std::string toml = model_table(plugin_.run().context.config->to_toml());
    const sz_model_options lent = {sizeof(sz_model_options), 0,
                                   options.type.c_str(),     options.layers,
                                   options.width,            options.heads,
                                   options.context,          options.vocabulary,
                                   options.dropout,          {toml.c_str(), toml.size()}};
    ModelDeclaration model;
    model.vocabulary = options.vocabulary;
    model.context = options.context;
    const OpenModel open(plugin_.run(), model, std::move(loss));
    check(table().declare(provided_.object, &lent, to_handle(&model)), plugin_.id(), "architecture declare");
    if (model.segments.empty() || !model.head.segment) {
      fail(plugin_, "its architecture declared no segments, or no head for generation");
    }
    return model;
  }

 private:
  // The model may be changed as long as this lives.
  struct OpenModel {
    OpenModel(HostRun& host, ModelDeclaration& model, std::shared_ptr<const Loss> loss) : run(host) {
      run.declaring = &model;
      run.declaring_loss = std::move(loss);
    }
    ~OpenModel() {
      run.declaring = nullptr;
      run.declaring_loss = nullptr;
    }
    HostRun& run;
  };

  const sz_architecture& table() const { return *static_cast<const sz_architecture*>(provided_.table); }

  PluginInstance& plugin_;
  std::string name_;
  PluginInstance::Provided provided_;
};

class PluginLoss final : public Loss {
 public:
  PluginLoss(PluginInstance& plugin, PluginInstance::Provided provided) : plugin_(plugin), provided_(provided) {
    if (table().struct_size < sizeof(sz_loss) || !table().compute) fail(plugin, "sz.loss/1 is incomplete");
  }

  LossResult compute(const at::Tensor& hidden, const TensorList& head, const at::Tensor& labels,
                     const at::Tensor& token_weight, bool want_gradients) const override {
    TensorList lent = {hidden, labels, token_weight}, lent_head = head, results;
    const std::vector<sz_tensor*> handles = to_handles(lent_head);
    check(table().compute(provided_.object, to_handle(lent[0]), {handles.size(), handles.data()}, to_handle(lent[1]),
                          to_handle(lent[2]), want_gradients ? 1 : 0, to_handle(results)),
          plugin_.id(), "loss");
    const size_t wanted = want_gradients ? 4 + head.size() : 3;
    if (results.size() != wanted) {
      fail(plugin_, "its loss gave " + std::to_string(results.size()) + " tensors, " + std::to_string(wanted) +
                        " are expected");
    }
    LossResult result{results[0], results[1], results[2], {}, {}};
    if (want_gradients) {
      result.grad_hidden = results[3];
      result.grad_head.assign(results.begin() + 4, results.end());
    }
    return result;
  }

 private:
  const sz_loss& table() const { return *static_cast<const sz_loss*>(provided_.table); }

  PluginInstance& plugin_;
  PluginInstance::Provided provided_;
};

}  // namespace

std::shared_ptr<Architecture> make_plugin_architecture(PluginInstance& plugin, const std::string& name) {
  return std::make_shared<PluginArchitecture>(plugin, name, plugin.provide(SZ_ARCHITECTURE, name));
}

std::shared_ptr<Loss> make_plugin_loss(PluginInstance& plugin, const std::string& name) {
  return std::make_shared<PluginLoss>(plugin, plugin.provide(SZ_LOSS, name));
}

}  // namespace sz
