#include "checkpoint/layout.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace sz::layout {

namespace {

// Decimal digits alone, without leading zeros, within int64.
std::optional<int64_t> parse_count(std::string_view text) {
  if (text.empty() || text[0] < '0' || text[0] > '9' || (text[0] == '0' && text.size() > 1)) return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

}  // namespace

std::string step_folder(int64_t step) { return "step-" + std::to_string(step); }

std::optional<int64_t> step_of(const std::string& folder_name) {
  std::string_view rest = folder_name;
  if (!take_prefix(rest, "step-")) return std::nullopt;
  return parse_count(rest);
}

std::string state_file(int rank, int ranks) {
  return "state-" + std::to_string(rank) + "-of-" + std::to_string(ranks) + ".safetensors";
}

bool is_state_file(const std::string& name) {
  std::string_view rest = name;
  if (!take_prefix(rest, "state-") || !take_suffix(rest, ".safetensors")) return false;
  const size_t of = rest.find("-of-");
  return of != std::string_view::npos && parse_count(rest.substr(0, of)) && parse_count(rest.substr(of + 4));
}

std::string plugin_file(const std::string& id) { return std::string(kPlugins) + "/" + id + ".bin"; }

bool is_file_id(const std::string& id) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  };
  return !id.empty() && id.size() <= 128 && id[0] != '.' && std::all_of(id.begin(), id.end(), allowed);
}

bool is_file_name(const std::string& name) {
  if (name == kConfig || is_state_file(name)) return true;
  std::string_view rest = name;
  return take_prefix(rest, "plugins/") && take_suffix(rest, ".bin") && is_file_id(std::string(rest));
}

std::string tensor_name(const TensorName& name) {
  const std::string array = name.parameter + "/" + name.state;
  return name.whole ? array : array + "@" + std::to_string(name.begin) + ":" + std::to_string(name.end);
}

std::optional<TensorName> parse_tensor_name(const std::string& text) {
  const size_t slash = text.rfind('/');
  if (slash == std::string::npos || slash == 0) return std::nullopt;
  TensorName name;
  name.parameter = text.substr(0, slash);
  std::string_view rest = std::string_view(text).substr(slash + 1);
  const size_t at = rest.find('@');
  name.state = std::string(rest.substr(0, at));
  if (!is_file_id(name.state)) return std::nullopt;
  if (at == std::string_view::npos) return name;

  rest.remove_prefix(at + 1);
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto begin = parse_count(rest.substr(0, colon)), end = parse_count(rest.substr(colon + 1));
  if (!begin || !end || *begin > *end) return std::nullopt;
  name.whole = false;
  name.begin = *begin;
  name.end = *end;
  return name;
}

}  // namespace sz::layout
