// Arguments and results of the host's C functions.
#pragma once
#include <sz/base.h>

#include <string>
#include <vector>

#include "base/journal.h"

namespace sz {

// Each throws Error(kPlugin) naming the argument where it is missing or makes no sense.
std::string required_text(const char* text, const char* argument);
std::string optional_text(const char* text);
void require_pointer(const void* pointer, const char* argument);
// `size`: of the part of a caller's struct that is read or written.
void require_size(uint32_t struct_size, size_t size, const char* argument);
Scalar to_scalar(const sz_value& value, const char* argument);

// Strings stay the scalar's.
sz_value to_value(const Scalar& scalar);

// Appends to a std::string; for sz_sink.
sz_sink string_sink(std::string& out);

}  // namespace sz
