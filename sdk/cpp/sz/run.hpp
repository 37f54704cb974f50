// sz.run/1: the run, requests to it, step scalars, evaluation groups.
#pragma once
#include <span>
#include <string>
#include <vector>

#include <sz/host.hpp>
#include <sz/host/run.h>

namespace sz::inline sdk {

class Run : Interface<sz_run> {
 public:
  explicit Run(Host host) : Interface(host, SZ_RUN) {}

  sz_run_info describe() const {
    sz_run_info info = {};
    info.struct_size = sizeof(info);
    check(table().describe(raw(), &info));
    return info;
  }
  void request(sz_request request, const std::string& reason) {
    check(table().request(raw(), request, reason.c_str()));
  }
  // In start(): its number, for set_scalar.
  uint32_t add_scalar(const char* name) {
    uint32_t scalar = 0;
    check(table().add_scalar(raw(), name, &scalar));
    return scalar;
  }
  void set_scalar(uint32_t scalar, double value) { check(table().set_scalar(raw(), scalar, value)); }
  // At EVAL_BEGIN.
  void set_eval_groups(const std::vector<std::string>& names, std::span<const int32_t> group_of_sample) {
    std::vector<const char*> c;
    for (const auto& name : names) c.push_back(name.c_str());
    check(table().set_eval_groups(raw(), c.size(), c.data(), group_of_sample.size(), group_of_sample.data()));
  }
};

}  // namespace sz::inline sdk
