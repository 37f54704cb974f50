// Errors between C++ exceptions here and sz_error objects there. Nothing is thrown across.
#pragma once
#include <sz/plugin.h>

#include <exception>
#include <new>
#include <string>

#include "base/error.h"

struct sz_error {
  sz_code code;
  std::string message;
};

namespace sz {

// What every plugin is offered; lives until the process ends. Thread: any.
const sz_offer& host_offer();

// Takes the error over. Gives Error(code's exit, "plugin 'ID': WHERE: message"); an unknown code counts as kPlugin.
Error take_error(sz_error* error, const std::string& plugin, const std::string& where);

// Takes the error over; what it says, alone.
std::string take_message(sz_error* error);

// Throws take_error() unless null. `where` is made into a text only then: this stands in every hook's call.
inline void check(sz_error* error, const std::string& plugin, const char* where) {
  if (error) throw take_error(error, plugin, where);
}
inline void check(sz_error* error, const std::string& plugin, const char* where, const std::string& which) {
  if (error) throw take_error(error, plugin, where + which);
}

sz_error* make_error(sz_code code, const std::string& message) noexcept;

// The exception being handled, as an error for a plugin. Call inside a catch block.
sz_error* current_exception_as_error() noexcept;

// Runs a host function's body for a plugin: success or an error, never an exception.
template <class Body>
sz_error* guarded(Body&& body) noexcept {
  try {
    body();
    return nullptr;
  } catch (...) {
    return current_exception_as_error();
  }
}

}  // namespace sz
