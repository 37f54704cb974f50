// State that outlives a process; its scope and version stand in the descriptor.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include <sz/host.hpp>
#include <sz/host/state.h>

namespace sz::inline sdk {

namespace detail {

inline void write(const sz_sink& sink, std::string_view bytes) {
  check(sink.write(sink.context, bytes.data(), bytes.size()));
}

}  // namespace detail

class Stateful {
 public:
  static constexpr const char* kId = SZ_STATE;
  virtual ~Stateful() = default;
  virtual std::string save_state() const = 0;
  virtual void load_state(std::string_view bytes, uint32_t version) = 0;

  template <class P>
  static const void* table() {
    static constexpr sz_stateful kTable = {
        sizeof(sz_stateful), 0,
        [](void* self, const sz_sink* out) {
          return detail::guard([&] { detail::write(*out, detail::as<Stateful, P>(self).save_state()); });
        },
        [](void* self, sz_string bytes, uint32_t version) {
          return detail::guard([&] { detail::as<Stateful, P>(self).load_state({bytes.ptr, bytes.len}, version); });
        }};
    return &kTable;
  }
};

class State : Interface<sz_state_api> {
 public:
  explicit State(Host host) : Interface(host, SZ_STATE) {}
  // The owner of the sampler: plans made ahead are out of date.
  void changed() { check(table().changed(raw())); }
};

}  // namespace sz::inline sdk
