#include "plugin_host/arguments.h"

#include "base/error.h"
#include "base/text.h"
#include "plugin_host/error_bridge.h"

namespace sz {
namespace {

[[noreturn]] void fail(const char* argument, const std::string& what) {
  throw Error(Exit::kPlugin, std::string("argument '") + argument + "' " + what);
}

sz_error* write_to_string(void* context, const void* data, uint64_t size) {
  return guarded([&] {
    if (size == 0) return;
    require_pointer(data, "data");
    static_cast<std::string*>(context)->append(static_cast<const char*>(data), size);
  });
}

}  // namespace

std::string required_text(const char* text, const char* argument) {
  if (!text || !*text) fail(argument, "is missing");
  if (first_utf8_fault(text)) fail(argument, "isn't valid UTF-8");
  return text;
}

std::string optional_text(const char* text) { return text ? text : ""; }

void require_pointer(const void* pointer, const char* argument) {
  if (!pointer) fail(argument, "is NULL");
}

void require_size(uint32_t struct_size, size_t size, const char* argument) {
  if (struct_size < size) {
    fail(argument, "has struct_size " + std::to_string(struct_size) + ", at least " + std::to_string(size) +
                       " is needed (set it to sizeof)");
  }
}

Scalar to_scalar(const sz_value& value, const char* argument) {
  switch (value.type) {
    case SZ_VALUE_NONE: return {};
    case SZ_VALUE_BOOL: return value.boolean != 0;
    case SZ_VALUE_INT: return value.as.integer;
    case SZ_VALUE_FLOAT: return value.as.number;
    case SZ_VALUE_STRING: return required_text(value.as.string, argument);
    default: fail(argument, "has the unknown value type " + std::to_string(value.type));
  }
}

sz_value to_value(const Scalar& scalar) {
  if (const bool* held = std::get_if<bool>(&scalar)) return sz_bool_value(*held ? 1 : 0);
  if (const int64_t* held = std::get_if<int64_t>(&scalar)) return sz_int(*held);
  if (const double* held = std::get_if<double>(&scalar)) return sz_float(*held);
  if (const std::string* held = std::get_if<std::string>(&scalar)) return sz_text(held->c_str());
  return sz_none();
}

sz_sink string_sink(std::string& out) { return {&out, &write_to_string}; }

}  // namespace sz
