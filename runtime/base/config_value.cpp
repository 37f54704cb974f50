#include "base/config_value.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace sz {
namespace {

template <class List, class Write>
std::string join(const List& list, const Write& write) {
  std::string out = "[";
  for (const auto& element : list) out += (out.size() > 1 ? ", " : "") + write(element);
  return out + "]";
}

// Where the last key of a path begins. Quotes within a quoted key are escaped: only its own opens after a dot.
size_t start_of_name(const std::string& path) {
  const bool quoted = path.ends_with('"');
  if (quoted && path.size() < 3) return 0;
  const size_t dot = quoted ? path.rfind(".\"", path.size() - 3) : path.rfind('.');
  return dot == std::string::npos ? 0 : dot + 1;
}

const char* bool_to_toml(bool value) { return value ? "true" : "false"; }

}  // namespace

std::string quote(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04X", byte);
      out += escaped;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string float_to_toml(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string to_toml(const RawValue& value) {
  struct Visitor {
    std::string operator()(bool v) const { return bool_to_toml(v); }
    std::string operator()(int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return float_to_toml(v); }
    std::string operator()(const std::string& v) const { return quote(v); }
    std::string operator()(const RawList& v) const {
      return join(v, [](const RawValue& element) { return to_toml(element); });
    }
    std::string operator()(const RawOther& v) const { return v.toml; }
  };
  return std::visit(Visitor{}, value.data);
}

std::string describe(const RawValue& value) {
  struct Visitor {
    std::string operator()(bool v) const { return std::string("the boolean ") + bool_to_toml(v); }
    std::string operator()(int64_t v) const { return "the integer " + std::to_string(v); }
    std::string operator()(double v) const { return "the float " + float_to_toml(v); }
    std::string operator()(const std::string& v) const { return "the string " + quote(v); }
    std::string operator()(const RawList& v) const { return v.empty() ? "an empty list" : "a list"; }
    std::string operator()(const RawOther& v) const { return "the " + v.kind + " " + v.toml; }
  };
  return std::visit(Visitor{}, value.data);
}

std::string to_toml(const ConfigValue& value) {
  struct Visitor {
    std::string operator()(bool v) const { return bool_to_toml(v); }
    std::string operator()(int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return float_to_toml(v); }
    std::string operator()(const std::string& v) const { return quote(v); }
    std::string operator()(const std::vector<std::string>& v) const { return join(v, quote); }
    std::string operator()(const std::vector<double>& v) const { return join(v, float_to_toml); }
  };
  return std::visit(Visitor{}, value);
}

std::string parent_of(const std::string& path) {
  const size_t start = start_of_name(path);
  return start == 0 ? "" : path.substr(0, start - 1);
}

std::string name_of(const std::string& path) { return path.substr(start_of_name(path)); }

std::string plugin_of(const std::string& path) {
  constexpr std::string_view kTable = "plugins.";
  if (!path.starts_with(kTable)) return "";
  const size_t end = path.find('.', kTable.size());
  return end == std::string::npos ? "" : path.substr(kTable.size(), end - kTable.size());
}

}  // namespace sz
