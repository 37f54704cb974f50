// Values of plugins' own keys, and how they're written where they are compared as text.
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/config.h"

namespace sz {

using KeyValue = std::variant<bool, int64_t, double, std::string, std::vector<std::string>, std::vector<double>>;

// A string bare, anything else as TOML writes it; numbers in their shortest form.
std::string to_text(const KeyValue& value);

// Reads TOML text as the value of this key. Errors: Error(kUsage), where it doesn't fit the key.
KeyValue parse_value(const KeySpec& key, const std::string& toml);

// The resolved value at `path`, which the schema knows with this type and which has a value.
KeyValue read_value(const Config& config, const std::string& path, KeyType type);

}  // namespace sz
