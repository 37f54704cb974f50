// Wrapping SEGMENT_FORWARD, SEGMENT_BACKWARD and OPTIMIZER_STEP.
#pragma once
#include <sz/hooks.h>
#include <sz/host.hpp>
#include <sz/host/hooks.h>

namespace sz::inline sdk {

// Runs what is wrapped; to be called exactly once.
class Next {
 public:
  Next(sz_next next, void* context) : next_(next), context_(context) {}
  void operator()() const { check(next_(context_)); }

 private:
  sz_next next_;
  void* context_;
};

// Reads and changes a segment's call, inside its wrapper. Handles are lent until the call returns.
class Calls : Interface<sz_hooks_api> {
 public:
  explicit Calls(Host host) : Interface(host, SZ_HOOKS) {}

  sz_call_info describe(const sz_segment_call* call) const {
    sz_call_info info = {};
    info.struct_size = sizeof(info);
    check(table().describe(raw(), call, &info));
    return info;
  }
  uint64_t count(const sz_segment_call* call, sz_call_list list) const { return table().count(raw(), call, list); }
  sz_tensor* get(const sz_segment_call* call, sz_call_list list, uint64_t index) const {
    sz_tensor* tensor = nullptr;
    check(table().get(raw(), call, list, index, &tensor));
    return tensor;
  }
  void set(sz_segment_call* call, sz_call_list list, uint64_t index, sz_tensor* tensor) const {
    check(table().set(raw(), call, list, index, tensor));
  }
  void set_keep_graph(sz_segment_call* call, bool keep) const { check(table().set_keep_graph(raw(), call, keep)); }
  void forward_again(sz_segment_call* call) const { check(table().forward_again(raw(), call)); }
  void set_save_level(sz_segment_call* call, uint32_t level) const {
    check(table().set_save_level(raw(), call, level));
  }
  void forward_again_by_rows(sz_segment_call* call, uint32_t chunks) const {
    check(table().forward_again_by_rows(raw(), call, chunks));
  }
};

class Around {
 public:
  static constexpr const char* kId = SZ_AROUND;
  virtual ~Around() = default;
  virtual void segment_forward(sz_segment_call* call, const Next& next) { next(); }
  virtual void segment_backward(sz_segment_call* call, const Next& next) { next(); }
  virtual void optimizer_step(const sz_hook_info& info, const Next& next) { next(); }

  template <class P>
  static const void* table() {
    static constexpr sz_around kTable = {
        sizeof(sz_around), 0,
        [](void* self, sz_segment_call* call, sz_next next, void* context) {
          return detail::guard([&] { detail::as<Around, P>(self).segment_forward(call, Next(next, context)); });
        },
        [](void* self, sz_segment_call* call, sz_next next, void* context) {
          return detail::guard([&] { detail::as<Around, P>(self).segment_backward(call, Next(next, context)); });
        },
        [](void* self, const sz_hook_info* info, sz_next next, void* context) {
          return detail::guard([&] { detail::as<Around, P>(self).optimizer_step(*info, Next(next, context)); });
        }};
    return &kTable;
  }
};

}  // namespace sz::inline sdk
