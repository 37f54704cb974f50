#include "plugin_host/error_bridge.h"

#include <torch/headeronly/version.h>

namespace sz {
namespace {

#define SZ_TEXT_OF(x) #x
#define SZ_TEXT(x) SZ_TEXT_OF(x)
constexpr const char* kTorchVersion =
    SZ_TEXT(TORCH_VERSION_MAJOR) "." SZ_TEXT(TORCH_VERSION_MINOR) "." SZ_TEXT(TORCH_VERSION_PATCH);

sz_error* offer_make_error(sz_code code, const char* message) { return make_error(code, message ? message : ""); }
void offer_free_error(sz_error* error) { delete error; }
sz_code offer_error_code(const sz_error* error) { return error ? error->code : SZ_OK; }
const char* offer_error_message(const sz_error* error) { return error ? error->message.c_str() : ""; }

Exit exit_of(sz_code code) {
  switch (code) {
    case SZ_INTERNAL:
    case SZ_USAGE:
    case SZ_DATA_BAD:
    case SZ_DIVERGED:
    case SZ_CORRUPT:
    case SZ_COMM_LOST:
    case SZ_EXHAUSTED:
    case SZ_INTERRUPTED:
    case SZ_TERMINATED: return Exit(code);
    default: return Exit::kPlugin;
  }
}

}  // namespace

const sz_offer& host_offer() {
  static const sz_offer offer = {sizeof(sz_offer),   SZ_DRAFT,           SZ_OFFER_MAGIC,
                                 SZ_ABI_VERSION,     SZ_ABI_VERSION,     "0.1.0",
                                 kTorchVersion,      &offer_make_error,  &offer_free_error,
                                 &offer_error_code,  &offer_error_message};
  return offer;
}

sz_error* make_error(sz_code code, const std::string& message) noexcept {
  static sz_error no_memory{SZ_EXHAUSTED, ""};
  try {
    return new sz_error{code, message};
  } catch (...) {
    return &no_memory;
  }
}

Error take_error(sz_error* error, const std::string& plugin, const std::string& where) {
  const Error result(exit_of(error->code), "plugin '" + plugin + "': " + where + ": " + error->message);
  offer_free_error(error);
  return result;
}

std::string take_message(sz_error* error) {
  std::string message = error->message;
  offer_free_error(error);
  return message;
}

sz_error* current_exception_as_error() noexcept {
  try {
    throw;
  } catch (const Error& error) {
    return make_error(sz_code(error.exit()), error.what());
  } catch (const std::bad_alloc&) {
    return make_error(SZ_EXHAUSTED, "out of memory");
  } catch (const std::exception& error) {
    return make_error(SZ_INTERNAL, error.what());
  } catch (...) {
    return make_error(SZ_INTERNAL, "an exception of unknown type");
  }
}

}  // namespace sz
