// Errors across the boundary: exceptions on this side, sz_error* on the other.
//
// All of the wrapper lives in an inline namespace, so that its names never meet the host's.
#pragma once
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <sz/plugin.h>

namespace sz::inline sdk {

// What a host call threw, or what a plugin throws to choose the code (any other exception is SZ_PLUGIN_FAILED).
class Error : public std::runtime_error {
 public:
  Error(sz_code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  sz_code code() const noexcept { return code_; }

 private:
  sz_code code_;
};

namespace detail {

// Set by the entry, once; one of its own in each plugin, since sz_add_plugin() hides it.
inline const sz_offer* the_offer = nullptr;

inline sz_error* make_error(sz_code code, const char* message) noexcept {
  return the_offer->make_error(code, message);
}

// Runs f; what it throws becomes an error for the host. Every function that the host calls is made of this.
template <class F>
sz_error* guard(F&& f) noexcept {
  try {
    std::forward<F>(f)();
    return nullptr;
  } catch (const Error& e) {
    return make_error(e.code(), e.what());
  } catch (const std::bad_alloc&) {
    return make_error(SZ_EXHAUSTED, "out of memory");
  } catch (const std::exception& e) {
    return make_error(SZ_PLUGIN_FAILED, e.what());
  } catch (...) {
    return make_error(SZ_PLUGIN_FAILED, "something that is no std::exception was thrown");
  }
}

// For functions that can't fail in C: what f throws is dropped.
template <class F>
void guard_quietly(F&& f) noexcept {
  the_offer->free_error(guard(std::forward<F>(f)));
}

// A plugin's object as one of its interfaces.
template <class I, class P>
I& as(void* self) {
  return *static_cast<P*>(self);
}

}  // namespace detail

// Throws what a host function returned, if it is an error.
inline void check(sz_error* error) {
  if (error == nullptr) return;
  const sz_code code = detail::the_offer->error_code(error);
  std::string message;
  try {
    message = detail::the_offer->error_message(error);
  } catch (...) {
    detail::the_offer->free_error(error);
    throw;
  }
  detail::the_offer->free_error(error);
  throw Error(code, message);
}

}  // namespace sz::inline sdk
