#include "plugin_host/plugin_wrapper.h"

#include <algorithm>
#include <exception>

#include "plugin_host/handles.h"
#include "plugin_host/hook_info.h"
#include "plugin_host/segment_context.h"

namespace sz {
namespace {

// `next` as a C function. The exception of what is wrapped waits here while the plugin returns.
struct NextCall {
  const Next& next;
  sz_segment_call* handle;  // null for OPTIMIZER_STEP
  int calls = 0;
  std::exception_ptr thrown;

  static sz_error* call(void* context) {
    auto& self = *static_cast<NextCall*>(context);
    if (self.calls++ > 0) return make_error(SZ_PLUGIN_FAILED, "next was called twice; it may be called once");
    try {
      self.next();
      if (self.handle) self.handle->next_called = true;
      return nullptr;
    } catch (...) {
      self.thrown = std::current_exception();
      return current_exception_as_error();
    }
  }

  void finish(sz_error* error, const std::string& plugin, const char* hook) {
    if (thrown) {  // the first cause says more than what the plugin made of it
      host_offer().free_error(error);
      std::rethrow_exception(thrown);
    }
    check(error, plugin, hook);
    if (calls == 1) return;
    throw Error(Exit::kPlugin, "plugin '" + plugin + "': " + hook + ": it called next " + std::to_string(calls) +
                                   " times; a wrapper calls it exactly once");
  }
};

}  // namespace

PluginWrapper::PluginWrapper(PluginInstance& plugin)
    : plugin_(plugin), table_(plugin.extension<sz_around>(SZ_AROUND)) {}

bool PluginWrapper::wraps(Hook hook) const {
  const std::vector<Hook>& kept = plugin_.plan().hooks;
  if (std::find(kept.begin(), kept.end(), hook) == kept.end()) return false;
  switch (hook) {
    case Hook::kSegmentForward: return table_->segment_forward;
    case Hook::kSegmentBackward: return table_->segment_backward;
    case Hook::kOptimizerStep: return table_->optimizer_step;
    default: return false;
  }
}

void PluginWrapper::segment_forward(SegmentCall& call, const Next& next) {
  sz_segment_call handle{&call, false, false, to_context(call.context)};
  NextCall wrapped{next, &handle, 0, nullptr};
  sz_error* error = table_->segment_forward(plugin_.self(), &handle, &NextCall::call, &wrapped);
  wrapped.finish(error, plugin_.id(), "SEGMENT_FORWARD");
}

void PluginWrapper::segment_backward(SegmentCall& call, const Next& next) {
  sz_segment_call handle{&call, true, false, to_context(call.context)};
  NextCall wrapped{next, &handle, 0, nullptr};
  sz_error* error = table_->segment_backward(plugin_.self(), &handle, &NextCall::call, &wrapped);
  wrapped.finish(error, plugin_.id(), "SEGMENT_BACKWARD");
}

void PluginWrapper::optimizer_step(const HookInfo& info, const Next& next) {
  const HookInfoView view(info);
  NextCall wrapped{next, nullptr, 0, nullptr};
  sz_error* error = table_->optimizer_step(plugin_.self(), view.lend(), &NextCall::call, &wrapped);
  wrapped.finish(error, plugin_.id(), "OPTIMIZER_STEP");
}

}  // namespace sz
