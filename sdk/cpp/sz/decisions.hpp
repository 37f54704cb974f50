// sz.decisions/1: a line of decisions.jsonl a choice.
#pragma once
#include <string>
#include <vector>

#include <sz/host.hpp>
#include <sz/host/decisions.h>
#include <sz/value.hpp>

namespace sz::inline sdk {

struct Decision {
  std::string what, cause;
  Value from = {}, to = {};
  std::string text_en = {}, text_zh = {};  // empty: composed by the host
  std::vector<Field> fields = {};
};

class Decisions : Interface<sz_decisions> {
 public:
  explicit Decisions(Host host) : Interface(host, SZ_DECISIONS) {}

  void record(const Decision& d) {
    const auto fields = detail::to_c(d.fields);
    const sz_decision c = {sizeof(sz_decision), 0, d.what.c_str(), d.cause.c_str(), d.from.c(), d.to.c(),
                           or_null(d.text_en), or_null(d.text_zh), fields.size(), fields.data()};
    check(table().record(raw(), &c));
  }

 private:
  static const char* or_null(const std::string& s) { return s.empty() ? nullptr : s.c_str(); }
};

}  // namespace sz::inline sdk
