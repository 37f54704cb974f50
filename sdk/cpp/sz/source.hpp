// The service sz.source/1: a data set of a plugin's making.
#pragma once
#include <string>

#include <sz/plugin.hpp>
#include <sz/services.h>
#include <sz/state.hpp>

namespace sz::inline sdk {

// All functions may be called on any thread, several at once.
class Source {
 public:
  static constexpr const char* kService = SZ_SOURCE;
  virtual ~Source() = default;
  virtual int64_t vocabulary() const noexcept = 0;
  virtual int64_t count(sz_split split) const noexcept = 0;
  virtual sz_sample_info info(sz_split split, int64_t sample) const = 0;  // struct_size need not be set
  // Each array has room for sz_sample_info::length elements.
  virtual void read(sz_split split, int64_t sample, int64_t* ids, int64_t* labels, float* mask) const = 0;
  virtual std::string text(sz_split split, int64_t sample) const = 0;

  // How to answer provide(): `languages` is a static list of tags that ends in null.
  Provided provided(const char* const* languages) {
    table_ = {sizeof(sz_source), 0, languages, [](void* object) { return of(object).vocabulary(); },
              [](void* object, sz_split split) { return of(object).count(split); }, info_of, read_of, text_of};
    return {&table_, this};
  }

 private:
  static const Source& of(void* object) { return *static_cast<const Source*>(object); }
  static sz_error* info_of(void* object, sz_split split, int64_t sample, sz_sample_info* info) {
    return detail::guard([&] {
      const uint32_t size = info->struct_size;
      *info = of(object).info(split, sample);
      info->struct_size = size;
    });
  }
  static sz_error* read_of(void* object, sz_split split, int64_t sample, int64_t* ids, int64_t* labels, float* mask) {
    return detail::guard([&] { of(object).read(split, sample, ids, labels, mask); });
  }
  static sz_error* text_of(void* object, sz_split split, int64_t sample, const sz_sink* text) {
    return detail::guard([&] { detail::write(*text, of(object).text(split, sample)); });
  }
  sz_source table_ = {};
};

}  // namespace sz::inline sdk
