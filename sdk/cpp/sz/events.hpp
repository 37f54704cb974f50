// sz.events/1: named key-values from plugin to plugin.
#pragma once
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include <sz/host.hpp>
#include <sz/host/events.h>
#include <sz/value.hpp>

namespace sz::inline sdk {

// Keep it as long as the plugin: it owns what subscribe() was given.
class Events : Interface<sz_events> {
 public:
  using Listener = std::function<void(const sz_event&)>;

  explicit Events(Host host) : Interface(host, SZ_EVENTS) {}
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  void publish(const std::string& name, const std::vector<Field>& fields) {
    const auto c = detail::to_c(fields);
    check(table().publish(raw(), name.c_str(), c.size(), c.data()));
  }
  void subscribe(const std::string& name, Listener listener) {
    Listener& kept = listeners_.emplace_back(std::move(listener));
    check(table().subscribe(raw(), name.c_str(), on_event, &kept));
  }

 private:
  static sz_error* on_event(void* context, const sz_event* event) {
    return detail::guard([&] { (*static_cast<Listener*>(context))(*event); });
  }
  std::deque<Listener> listeners_;
};

}  // namespace sz::inline sdk
