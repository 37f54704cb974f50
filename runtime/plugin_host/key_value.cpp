#include "plugin_host/key_value.h"

#include <charconv>

namespace sz {
namespace {

std::string text_of(bool value) { return value ? "true" : "false"; }
std::string text_of(int64_t value) { return std::to_string(value); }
std::string text_of(const std::string& value) { return value; }

std::string text_of(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return std::string(buffer, end);
}

template <class T>
std::string text_of(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values) text += (text.size() > 1 ? ", " : "") + text_of(value);
  return text + "]";
}

}  // namespace

std::string to_text(const KeyValue& value) {
  return std::visit([](const auto& held) { return text_of(held); }, value);
}

KeyValue parse_value(const KeySpec& key, const std::string& toml) {
  KeySpec plain = key;
  plain.default_toml.clear();
  plain.required = false;
  Schema bare;
  bare.add(plain);
  const Config config = Config::resolve(ConfigDocument::parse(key.path + " = " + toml, "value"), bare);
  return read_value(config, key.path, key.type);
}

KeyValue read_value(const Config& config, const std::string& path, KeyType type) {
  switch (type) {
    case KeyType::kBool: return config.get_bool(path);
    case KeyType::kInt: return config.get_int(path);
    case KeyType::kFloat: return config.get_float(path);
    case KeyType::kString: return config.get_string(path);
    case KeyType::kStringList: return config.get_string_list(path);
    case KeyType::kFloatList: return config.get_float_list(path);
  }
  return false;
}

}  // namespace sz
