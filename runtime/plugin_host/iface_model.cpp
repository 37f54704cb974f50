// sz.model/1, what is read. What changes the model: model_changes.cpp.
#include <sz/host/model.h>

#include "model/initialise.h"
#include "plugin_host/arguments.h"
#include "plugin_host/handles.h"
#include "plugin_host/instance.h"
#include "plugin_host/interfaces.h"
#include "plugin_host/model_changes.h"

namespace sz {
namespace {

static_assert(int(Role::kMatrix) == SZ_ROLE_MATRIX && int(Init::kNormal) == SZ_INIT_NORMAL);

const ModelDeclaration& model_of(const sz_host* host, const sz_model* handle, const char* function) {
  PluginInstance& plugin = instance_of(host);
  plugin.require_phase(function, kRun);
  const auto* model = handle ? reinterpret_cast<const ModelDeclaration*>(handle) : plugin.run().model;
  if (model) return *model;
  throw Error(Exit::kPlugin, std::string(function) + " was called before MODEL_DECLARED, where the model isn't there");
}

template <class Read>
int64_t read_or(int64_t otherwise, const sz_host* host, const sz_model* handle, Read read) {
  int64_t result = otherwise;
  host_offer().free_error(guarded([&] {
    instance_of(host).require_main("sz.model");
    result = read(model_of(host, handle, "sz.model"));
  }));
  return result;
}

int64_t parameter_count(const sz_host* host, const sz_model* handle) {
  return read_or(0, host, handle, [](const ModelDeclaration& model) { return int64_t(model.parameters.size()); });
}

int64_t segment_count(const sz_host* host, const sz_model* handle) {
  return read_or(0, host, handle, [](const ModelDeclaration& model) { return int64_t(model.segments.size()); });
}

int64_t vocabulary(const sz_host* host, const sz_model* handle) {
  return read_or(0, host, handle, [](const ModelDeclaration& model) { return model.vocabulary; });
}

int64_t context(const sz_host* host, const sz_model* handle) {
  return read_or(0, host, handle, [](const ModelDeclaration& model) { return model.context; });
}

const ParameterDeclaration& checked_parameter(const ModelDeclaration& model, int64_t index) {
  if (index >= 0 && index < int64_t(model.parameters.size())) return model.parameters[size_t(index)];
  throw Error(Exit::kPlugin, "the model has no parameter " + std::to_string(index));
}

sz_error* parameter(const sz_host* host, const sz_model* handle, int64_t index, sz_parameter_info* info) {
  return guarded([&] {
    instance_of(host).require_main("sz.model parameter");
    const ParameterDeclaration& found = checked_parameter(model_of(host, handle, "sz.model parameter"), index);
    require_pointer(info, "info");
    require_size(info->struct_size, sizeof(sz_parameter_info), "info");
    *info = {info->struct_size,   uint32_t(found.shape.size()), found.name.c_str(),   found.shape.data(),
             sz_role(found.role), sz_init(found.init),          found.init_std,       found.decay ? 1u : 0u,
             found.trainable ? 1u : 0u};
  });
}

int64_t find_parameter(const sz_host* host, const sz_model* handle, const char* name) {
  return read_or(-1, host, handle,
                 [&](const ModelDeclaration& model) { return int64_t(model.find_parameter(name ? name : "")); });
}

sz_error* segment(const sz_host* host, const sz_model* handle, int64_t index, sz_segment_info* info) {
  return guarded([&] {
    instance_of(host).require_main("sz.model segment");
    const ModelDeclaration& model = model_of(host, handle, "sz.model segment");
    require_pointer(info, "info");
    require_size(info->struct_size, sizeof(sz_segment_info), "info");
    if (index < -1 || index >= int64_t(model.segments.size())) {
      throw Error(Exit::kPlugin, "the model has no segment " + std::to_string(index));
    }
    const SegmentDeclaration& found = index < 0 ? model.head : model.segments[size_t(index)];
    static_assert(sizeof(int) == sizeof(int32_t));
    *info = {info->struct_size, uint32_t(found.parameters.size()), found.name.c_str(), found.parameters.data()};
  });
}

sz_error* initialise_stretch(const sz_host* host, const sz_model* handle, int64_t index, uint64_t seed, int64_t begin,
                             int64_t end, float* out) {
  return guarded([&] {
    const ParameterDeclaration& found = checked_parameter(model_of(host, handle, "sz.model initialise"), index);
    require_pointer(out, "out");
    if (begin < 0 || begin > end || end > found.numel()) {
      throw Error(Exit::kPlugin, found.name + " has no elements " + std::to_string(begin) + " to " +
                                     std::to_string(end));
    }
    initialise(found, seed, begin, end, out);
  });
}

}  // namespace

const void* model_interface() {
  static const sz_model_api table = {sizeof(sz_model_api),
                                     0,
                                     &parameter_count,
                                     &segment_count,
                                     &vocabulary,
                                     &context,
                                     &parameter,
                                     &find_parameter,
                                     &segment,
                                     &model_changes::add_parameter,
                                     &model_changes::give_to_segment,
                                     &model_changes::set_trainable,
                                     &model_changes::set_decay,
                                     &model_changes::tie,
                                     &model_changes::add_segment,
                                     &model_changes::set_head,
                                     &model_changes::add_loss,
                                     &initialise_stretch};
  return &table;
}

}  // namespace sz
