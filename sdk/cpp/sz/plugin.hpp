// A plugin in C++: derive from sz::Plugin and from the interfaces that it implements, then register it.
//
//   class GradWatch : public sz::Plugin, public sz::Observer {
//    public:
//     static sz::Descriptor describe();
//     explicit GradWatch(sz::Host host) : Plugin(host) {}
//     void start() override;
//     void on(const sz_hook_info& info) override;
//   };
//   SZ_REGISTER_PLUGIN(GradWatch, sz::Observer)
//
// Exceptions may leave any of these functions: each entry turns them into an sz_error. Threads and states are those of
// the C functions behind them.
#pragma once
#include <string_view>
#include <type_traits>

#include <sz/descriptor.hpp>
#include <sz/error.hpp>
#include <sz/hooks.h>
#include <sz/host.hpp>

namespace sz::inline sdk {

// A service's table and the object that its functions take; null where there is none.
struct Provided {
  const void* table = nullptr;
  void* object = nullptr;
};

class Plugin {
 public:
  explicit Plugin(Host host) : host_(host) {}  // no host calls yet
  virtual ~Plugin() = default;
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  virtual void start() {}
  virtual void stop() {}
  // For each service that the descriptor gives: `return scorer_.provided(...)`.
  virtual Provided provide(std::string_view service, std::string_view name) { return {}; }

  const Host& host() const { return host_; }

 private:
  Host host_;
};

// An interface is a class of virtual functions with kId and table<P>(), the C table whose functions take a P*.
class Observer {
 public:
  static constexpr const char* kId = SZ_OBSERVER;
  virtual ~Observer() = default;
  virtual void on(const sz_hook_info& info) = 0;

  template <class P>
  static const void* table() {
    static constexpr sz_observer kTable = {sizeof(sz_observer), 0, [](void* self, const sz_hook_info* info) {
                                             return detail::guard([&] { detail::as<Observer, P>(self).on(*info); });
                                           }};
    return &kTable;
  }
};

namespace detail {

template <class P, class... Interfaces>
struct Registration {
  static_assert(std::is_base_of_v<Plugin, P>, "a plugin's class derives from sz::Plugin");
  static_assert((std::is_base_of_v<Interfaces, P> && ...), "the plugin's class derives from each interface it lists");

  static sz_error* create(const sz_host* host, void** self) {
    return guard([&] { *self = new P(Host(host)); });
  }
  static sz_error* start(void* self) {
    return guard([&] { as<Plugin, P>(self).start(); });
  }
  static void stop(void* self) {
    guard_quietly([&] { as<Plugin, P>(self).stop(); });
  }
  static void destroy(void* self) { delete static_cast<P*>(self); }

  static const void* get_extension(void*, [[maybe_unused]] const char* id) {
    const void* found = nullptr;
    ((std::string_view(id) == Interfaces::kId ? void(found = Interfaces::template table<P>()) : void()), ...);
    return found;
  }
  static const void* provide(void* self, const char* service, const char* name, void** object) {
    Provided provided;
    guard_quietly([&] { provided = as<Plugin, P>(self).provide(service, name); });
    if (provided.object != nullptr) *object = provided.object;
    return provided.table;
  }

  // Where the class has `static std::string check(sz::Host, const sz_check&)`: warnings, a line each.
  static constexpr bool kChecks = requires(Host host, const sz_check& run) { P::check(host, run); };
  static sz_error* check_of(const sz_host* host, const sz_check* run, const sz_sink* warnings) {
    return guard([&] {
      if constexpr (kChecks) {
        const std::string text = P::check(Host(host), *run);
        sdk::check(warnings->write(warnings->context, text.data(), text.size()));
      }
    });
  }

  static const sz_plugin* plugin() {
    static const Descriptor kDescriptor = P::describe();
    static const sz_plugin kPlugin = {
        sizeof(sz_plugin), SZ_ABI_VERSION, kDescriptor.c(), create,  start, stop,
        destroy,           get_extension,  provide,         kChecks ? check_of : nullptr};
    return &kPlugin;
  }

  static const sz_plugin* enter(const sz_offer* offer, sz_error** error) noexcept {
    if (offer == nullptr || offer->magic != SZ_OFFER_MAGIC) return nullptr;
    the_offer = offer;
    const sz_plugin* found = nullptr;
    *error = guard([&] { found = plugin(); });
    return found ? sz_accept(offer, found, error) : nullptr;
  }
};

}  // namespace detail
}  // namespace sz::inline sdk

// Once in a plugin, at file scope: the class, then the interfaces that it implements.
#define SZ_REGISTER_PLUGIN(Class, ...)                                                                \
  SZ_PLUGIN_NOTE;                                                                                     \
  extern "C" const sz_plugin* sz_plugin_entry_v1(const sz_offer* offer, sz_error** error) {           \
    return ::sz::detail::Registration<Class __VA_OPT__(, ) __VA_ARGS__>::enter(offer, error);         \
  }
