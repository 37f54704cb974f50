// One value against one key's specification.
#include <cmath>
#include <cstdlib>

#include "base/config_value.h"
#include "base/error.h"
#include "base/text.h"

namespace sz {
namespace {

const char* expected_name(KeyType type) {
  switch (type) {
    case KeyType::kBool: return "true or false";
    case KeyType::kInt: return "an integer";
    case KeyType::kFloat: return "a number";
    case KeyType::kString: return "a string";
    case KeyType::kStringList: return "a list of strings";
    case KeyType::kFloatList: return "a list of numbers";
  }
  return "?";
}

std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return std::to_string(static_cast<int64_t>(value));
  return float_to_toml(value);
}

class Converter {
 public:
  Converter(const KeySpec& spec, const Entry& entry, std::string& fault) : spec_(spec), entry_(entry), fault_(fault) {}

  std::optional<ConfigValue> convert() {
    const RawValue& value = entry_.value;
    switch (spec_.type) {
      case KeyType::kBool: {
        if (const auto* v = std::get_if<bool>(&value.data)) return *v;
        return wrong_type();
      }
      case KeyType::kInt: return integer();
      case KeyType::kFloat: return as_config(number(value, ""));
      case KeyType::kString: return as_config(string());
      case KeyType::kStringList: return string_list();
      case KeyType::kFloatList: return float_list();
    }
    return std::nullopt;
  }

 private:
  template <class T>
  static std::optional<ConfigValue> as_config(const std::optional<T>& value) {
    if (!value) return std::nullopt;
    return ConfigValue(*value);
  }

  std::nullopt_t fail(const std::string& message) {
    fault_ = message;
    return std::nullopt;
  }

  std::nullopt_t wrong_type(const std::string& advice = "") {
    return fail(std::string("expected ") + expected_name(spec_.type) + ", got " + describe(entry_.value) + advice);
  }

  bool in_range(double value, const std::string& shown, const std::string& who) {
    if (std::isfinite(value) && value >= spec_.min && value <= spec_.max) return true;
    std::string must = "a finite number";
    if (std::isfinite(spec_.min) && std::isfinite(spec_.max)) {
      must = "between " + number_text(spec_.min) + " and " + number_text(spec_.max);
    } else if (value < spec_.min) {
      must = "at least " + number_text(spec_.min);
    } else if (value > spec_.max) {
      must = "at most " + number_text(spec_.max);
    }
    fault_ = who + "must be " + must + ", is " + shown;
    return false;
  }

  std::optional<ConfigValue> integer() {
    if (const auto* v = std::get_if<int64_t>(&entry_.value.data)) {
      if (!in_range(static_cast<double>(*v), std::to_string(*v), "")) return std::nullopt;
      return *v;
    }
    const auto* v = std::get_if<double>(&entry_.value.data);
    if (v && *v == std::floor(*v) && std::abs(*v) < 1e15) return wrong_type("; write " + number_text(*v));
    return wrong_type();
  }

  std::optional<double> number(const RawValue& value, const std::string& who) {
    double number = 0;
    if (const auto* whole = std::get_if<int64_t>(&value.data)) {
      number = static_cast<double>(*whole);
    } else if (const auto* real = std::get_if<double>(&value.data)) {
      number = *real;
    } else if (!who.empty()) {
      return fail(who + "is no number but " + describe(value));
    } else {
      return wrong_type();
    }
    if (!in_range(number, to_toml(value), who)) return std::nullopt;
    return number;
  }

  // Whether a string's key takes a number as well: "dynamic", or 1024.
  bool takes_number() const {
    return spec_.type == KeyType::kString && !spec_.choices.empty() && std::isfinite(spec_.min) &&
           std::isfinite(spec_.max);
  }

  bool allowed(const std::string& text, const std::string& who) {
    if (text.find('\0') != std::string::npos) {
      fault_ = who + "holds a NUL character";
      return false;
    }
    if (spec_.filled && text.empty()) {
      fault_ = who + "must not be empty" + (spec_.help.empty() ? "" : " (" + spec_.help + ")");
      return false;
    }
    if (spec_.choices.empty()) return true;
    std::string list;
    for (const std::string& choice : spec_.choices) {
      if (choice == text) return true;
      list += (list.empty() ? "" : ", ") + quote(choice);
    }
    fault_ = who + "must be " + (spec_.choices.size() > 1 ? "one of " : "") + list + ", is " + quote(text);
    if (takes_number()) {
      fault_ = who + "must be " + list + " or a number between " + number_text(spec_.min) + " and " +
               number_text(spec_.max) + ", is " + quote(text);
    }
    if (const auto near = did_you_mean(text, spec_.choices)) fault_ += "; did you mean " + quote(*near) + "?";
    return false;
  }

  // --set run.name=7 means the text "7": quotes are the shell's.
  std::optional<std::string> string() {
    const RawValue& value = entry_.value;
    if (takes_number() && (std::holds_alternative<int64_t>(value.data) || std::holds_alternative<double>(value.data))) {
      if (!number(value, "")) return std::nullopt;
      return to_toml(value);
    }
    const auto* text = std::get_if<std::string>(&entry_.value.data);
    const bool list = std::holds_alternative<RawList>(entry_.value.data);
    if (!text && (list || !entry_.from_set)) return wrong_type();
    const std::string& chosen = text ? *text : entry_.set_text;
    if (takes_number()) {  // quoted: so it stands in a resolved file
      char* end = nullptr;
      const double quoted = std::strtod(chosen.c_str(), &end);
      if (end != chosen.c_str() && *end == '\0' && std::isfinite(quoted)) {
        return in_range(quoted, chosen, "") ? std::optional(chosen) : std::nullopt;
      }
    }
    if (!allowed(chosen, "")) return std::nullopt;
    return chosen;
  }

  std::optional<ConfigValue> string_list() {
    const auto* list = std::get_if<RawList>(&entry_.value.data);
    if (!list) {
      const auto* text = std::get_if<std::string>(&entry_.value.data);
      if (!text) return wrong_type();
      if (!entry_.from_set) return wrong_type("; write [" + quote(*text) + "]");
      if (!allowed(*text, "")) return std::nullopt;
      return std::vector<std::string>{*text};
    }
    std::vector<std::string> texts;
    for (const RawValue& element : *list) {
      const std::string who = "element " + std::to_string(texts.size() + 1) + " ";
      const auto* text = std::get_if<std::string>(&element.data);
      if (!text) return fail(who + "is no string but " + describe(element));
      if (!allowed(*text, who)) return std::nullopt;
      texts.push_back(*text);
    }
    if (texts.empty() && spec_.filled && spec_.required) {
      return fail("must not be empty" + (spec_.help.empty() ? "" : " (" + spec_.help + ")"));
    }
    return texts;
  }

  std::optional<ConfigValue> float_list() {
    const auto* list = std::get_if<RawList>(&entry_.value.data);
    if (!list) return wrong_type();
    std::vector<double> numbers;
    for (const RawValue& element : *list) {
      const auto value = number(element, "element " + std::to_string(numbers.size() + 1) + " ");
      if (!value) return std::nullopt;
      numbers.push_back(*value);
    }
    return numbers;
  }

  const KeySpec& spec_;
  const Entry& entry_;
  std::string& fault_;
};

}  // namespace

std::optional<ConfigValue> convert(const KeySpec& spec, const Entry& entry, std::string& fault) {
  return Converter(spec, entry, fault).convert();
}

std::string fault_of_default(const KeySpec& spec) {
  if (spec.default_toml.empty()) return "";
  std::string fault;
  try {
    const Entry entry{parse_value(spec.default_toml), {}, false, ""};
    (void)convert(spec, entry, fault);
  } catch (const Error& e) {
    fault = e.what();
  }
  return fault.empty() ? "" : spec.path + ": its default: " + fault;
}

}  // namespace sz
