// The slot `sampler`.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <sz/slots.h>
#include <sz/state.hpp>

namespace sz::inline sdk {

class Sampler {
 public:
  static constexpr const char* kId = SZ_SAMPLER;
  struct Planned {
    std::vector<sz_plan_item> items;  // at most global_batch
    std::string next_state;
  };

  virtual ~Sampler() = default;
  virtual void setup(const sz_sampler_setup& setup) = 0;
  virtual std::string initial_state() = 0;
  // The plan that follows `state`, the same on all ranks.
  virtual Planned plan(std::string_view state) = 0;
  // [io] Changes a sample whose item has a transform other than 0, in place.
  virtual void transform(const sz_plan_item& item, const sz_sample_tokens& sample) {
    throw Error(SZ_PLUGIN_FAILED, "the sampler plans transforms but has none");
  }

  template <class P>
  static const void* table() {
    static constexpr sz_sampler kTable = {
        sizeof(sz_sampler), 0,
        [](void* self, const sz_sampler_setup* setup) {
          return detail::guard([&] { detail::as<Sampler, P>(self).setup(*setup); });
        },
        [](void* self, const sz_sink* state) {
          return detail::guard([&] { detail::write(*state, detail::as<Sampler, P>(self).initial_state()); });
        },
        [](void* self, sz_string state, uint64_t capacity, sz_plan_item* items, uint64_t* count,
           const sz_sink* next_state) {
          return detail::guard([&] {
            Sampler& sampler = detail::as<Sampler, P>(self);
            hand_out(sampler.plan({state.ptr, state.len}), capacity, items, count, next_state);
          });
        },
        [](void* self, const sz_plan_item* item, const sz_sample_tokens* sample) {
          return detail::guard([&] { detail::as<Sampler, P>(self).transform(*item, *sample); });
        }};
    return &kTable;
  }

 private:
  static void hand_out(const Planned& planned, uint64_t capacity, sz_plan_item* items, uint64_t* count,
                       const sz_sink* next_state) {
    if (planned.items.size() > capacity) throw Error(SZ_PLUGIN_FAILED, "the sampler planned more than a global batch");
    std::copy(planned.items.begin(), planned.items.end(), items);
    *count = planned.items.size();
    detail::write(*next_state, planned.next_state);
  }
};

}  // namespace sz::inline sdk
