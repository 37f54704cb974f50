#include "plugin_host/plugin_segment.h"

#include <sz/host/torch.h>

#include <algorithm>

#include "plugin_host/arguments.h"
#include "plugin_host/handles.h"
#include "plugin_host/instance.h"
#include "plugin_host/segment_context.h"

namespace sz {
namespace {

// A lent, read-only view of a list; the handles point into it.
class LentList {
 public:
  explicit LentList(const TensorList& tensors) : handles_(to_handles(const_cast<TensorList&>(tensors))) {}
  sz_tensors lend() const { return {handles_.size(), handles_.data()}; }

 private:
  std::vector<sz_tensor*> handles_;
};

class PluginSegment final : public Segment {
 public:
  PluginSegment(PluginInstance& plugin, std::string name, const sz_segment* table, void* segment)
      : plugin_(plugin), name_(std::move(name)), table_(table), segment_(segment) {}

  bool has_backward() const override { return table_->backward != nullptr; }
  int save_levels() const override { return int(table_->save_levels); }

  TensorList forward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                     TensorList* saved) const override {
    const sz_segment_context lent = to_context(context);
    TensorList outputs;
    check(table_->forward(segment_, &lent, LentList(parameters).lend(), LentList(inputs).lend(), to_handle(outputs),
                          saved ? to_handle(*saved) : nullptr),
          plugin_.id(), "forward of segment ", name_);
    return outputs;
  }

  SegmentGradients backward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                            const TensorList& saved, const TensorList& grad_outputs) const override {
    const sz_segment_context lent = to_context(context);
    SegmentGradients gradients;
    check(table_->backward(segment_, &lent, LentList(parameters).lend(), LentList(inputs).lend(),
                           LentList(saved).lend(), LentList(grad_outputs).lend(), to_handle(gradients.inputs),
                           to_handle(gradients.parameters)),
          plugin_.id(), "backward of segment ", name_);
    if (gradients.inputs.size() != inputs.size() || gradients.parameters.size() != parameters.size()) {
      throw Error(Exit::kPlugin, "plugin '" + plugin_.id() + "': backward of segment " + name_ +
                                     " must append one gradient for each input and parameter");
    }
    return gradients;
  }

 private:
  PluginInstance& plugin_;
  std::string name_;
  const sz_segment* table_;
  void* segment_;
};

bool needs_torch(const PluginInstance& plugin) {
  const std::vector<Need>& needs = plugin.descriptor().needs;
  return std::any_of(needs.begin(), needs.end(), [](const Need& need) { return need.id == SZ_TORCH; });
}

}  // namespace

std::shared_ptr<const Segment> make_plugin_segment(PluginInstance& plugin, const std::string& name,
                                                   const sz_segment* table, void* segment) {
  require_pointer(table, "table");
  require_size(table->struct_size, sizeof(sz_segment), "table");
  require_pointer(reinterpret_cast<const void*>(table->forward), "table.forward");
  if (!table->backward && !needs_torch(plugin)) {
    throw Error(Exit::kPlugin, "segment " + name + " has no backward, and its plugin doesn't need sz.torch/1, so that "
                                                   "autograd can't follow it; bring a backward");
  }
  return std::make_shared<PluginSegment>(plugin, name, table, segment);
}

}  // namespace sz
