// sz.hooks/1
#include <sz/host/hooks.h>

#include "plugin_host/arguments.h"
#include "plugin_host/handles.h"
#include "plugin_host/instance.h"
#include "plugin_host/interfaces.h"

namespace sz {
namespace {

[[noreturn]] void fail(const std::string& what) { throw Error(Exit::kPlugin, "sz.hooks: " + what); }

SegmentCall& checked(const sz_host* host, const sz_segment_call* call, const char* function) {
  instance_of(host).require_main(function);
  require_pointer(call, "call");
  return *call->call;
}

TensorList& list(const sz_segment_call& handle, sz_call_list which) {
  SegmentCall& call = *handle.call;
  switch (which) {
    case SZ_CALL_PARAMETERS: return call.parameters;
    case SZ_CALL_INPUTS: return call.inputs;
    case SZ_CALL_OUTPUTS: return call.outputs;
    case SZ_CALL_SAVED: return call.saved;
    case SZ_CALL_GRAD_OUTPUTS: return call.grad_outputs;
    case SZ_CALL_GRAD_INPUTS: return call.gradients.inputs;
    case SZ_CALL_GRAD_PARAMETERS: return call.gradients.parameters;
    default: fail("unknown list " + std::to_string(which));
  }
}

at::Tensor& element(const sz_segment_call& handle, sz_call_list which, uint64_t index) {
  TensorList& tensors = list(handle, which);
  if (index < tensors.size()) return tensors[index];
  fail("list " + std::to_string(which) + " has " + std::to_string(tensors.size()) + " elements, number " +
       std::to_string(index) + " was asked for");
}

const char* name_of(const SegmentCall& call) { return call.declaration ? call.declaration->name.c_str() : ""; }

int levels_of(const SegmentCall& call) { return call.declaration ? call.declaration->segment->save_levels() : 0; }

sz_error* describe(const sz_host* host, const sz_segment_call* handle, sz_call_info* info) {
  return guarded([&] {
    const SegmentCall& call = checked(host, handle, "sz.hooks describe");
    require_pointer(info, "info");
    require_size(info->struct_size, sizeof(sz_call_info), "info");
    info->segment = call.segment;
    info->segment_name = name_of(call);
    info->context = &handle->context;
    info->keep_graph = call.keep_graph ? 1 : 0;
    info->graph_kept = call.graph_kept ? 1 : 0;
    info->save_levels = uint32_t(levels_of(call));
    info->reserved = 0;
  });
}

uint64_t count(const sz_host* host, const sz_segment_call* handle, sz_call_list which) {
  uint64_t result = 0;
  host_offer().free_error(guarded([&] {
    checked(host, handle, "sz.hooks count");
    result = list(*handle, which).size();
  }));
  return result;
}

sz_error* get(const sz_host* host, const sz_segment_call* handle, sz_call_list which, uint64_t index,
              sz_tensor** tensor) {
  return guarded([&] {
    checked(host, handle, "sz.hooks get");
    require_pointer(tensor, "tensor");
    at::Tensor& found = element(*handle, which, index);
    *tensor = found.defined() ? to_handle(found) : nullptr;
  });
}

sz_error* set(const sz_host* host, sz_segment_call* handle, sz_call_list which, uint64_t index, sz_tensor* tensor) {
  return guarded([&] {
    checked(host, handle, "sz.hooks set");
    const bool parameters = which == SZ_CALL_PARAMETERS && !handle->next_called;
    const bool gradients = which == SZ_CALL_GRAD_PARAMETERS && handle->backward && handle->next_called;
    if (!parameters && !gradients) {
      fail("only parameters before next, and gradients of parameters after next of a backward, may be set");
    }
    at::Tensor& target = element(*handle, which, index);
    const at::Tensor value = tensor_or_undefined(tensor);
    if (parameters && !value.defined()) fail("a parameter can't become undefined");
    target = value;
  });
}

sz_error* set_keep_graph(const sz_host* host, sz_segment_call* handle, sz_bool keep) {
  return guarded([&] {
    SegmentCall& call = checked(host, handle, "sz.hooks set_keep_graph");
    if (handle->backward || handle->next_called) fail("set_keep_graph is for a forward, before next");
    call.keep_graph = keep != 0;
  });
}

sz_error* forward_again(const sz_host* host, sz_segment_call* handle) {
  return guarded([&] {
    SegmentCall& call = checked(host, handle, "sz.hooks forward_again");
    if (!handle->backward || handle->next_called) fail("forward_again is for a backward, before next");
    if (!call.forward_again) fail("this segment can't be run again");
    call.forward_again();
  });
}

sz_error* set_save_level(const sz_host* host, sz_segment_call* handle, uint32_t level) {
  return guarded([&] {
    SegmentCall& call = checked(host, handle, "sz.hooks set_save_level");
    if (handle->backward || handle->next_called) fail("set_save_level is for a forward, before next");
    const int levels = levels_of(call);
    if (level > uint32_t(levels)) {
      fail("segment " + std::string(name_of(call)) + " has save levels up to " + std::to_string(levels) + ", " +
           std::to_string(level) + " was asked for");
    }
    call.context.save_level = int(level);
  });
}

sz_error* forward_again_by_rows(const sz_host* host, sz_segment_call* handle, uint32_t chunks) {
  return guarded([&] {
    SegmentCall& call = checked(host, handle, "sz.hooks forward_again_by_rows");
    if (!handle->backward || handle->next_called) fail("forward_again_by_rows is for a backward, before next");
    if (!call.forward_again_by_rows) fail("this segment can't be run again");
    if (chunks == 0 || chunks > uint32_t(INT32_MAX)) fail("chunks must be at least 1");
    call.forward_again_by_rows(int(chunks));
  });
}

}  // namespace

const void* hooks_interface() {
  static const sz_hooks_api table = {sizeof(sz_hooks_api), 0,    &describe,       &count,
                                     &get,                 &set, &set_keep_graph, &forward_again,
                                     &set_save_level,      &forward_again_by_rows};
  return &table;
}

}  // namespace sz
