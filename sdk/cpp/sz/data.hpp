// sz.data/1: the samples of the run.
#pragma once
#include <algorithm>
#include <string_view>
#include <vector>

#include <sz/host.hpp>
#include <sz/host/data.h>

namespace sz::inline sdk {

class Data : Interface<sz_data> {
 public:
  explicit Data(Host host) : Interface(host, SZ_DATA) {}

  int64_t count(sz_split split) const { return table().count(raw(), split); }
  sz_sample_info info(sz_split split, int64_t sample) const {
    sz_sample_info info = {};
    info.struct_size = sizeof(info);
    check(table().info(raw(), split, sample, &info));
    return info;
  }
  const char* language(int32_t language) const { return table().language(raw(), language); }
  // Lent until this thread's next call.
  std::string_view text(sz_split split, int64_t sample) const {
    sz_string text = {};
    check(table().text(raw(), split, sample, &text));
    return {text.ptr, text.len};
  }
  void tokens(sz_split split, int64_t sample, int64_t* ids, int64_t* labels, float* mask) const {
    check(table().tokens(raw(), split, sample, ids, labels, mask));
  }
  std::vector<int64_t> encode(std::string_view text) const {
    std::vector<int64_t> ids(text.size() + 16);  // with byte fallback a byte is at most one token
    uint64_t count = 0;
    check(table().encode(raw(), {text.data(), text.size()}, ids.size(), ids.data(), &count));
    ids.resize(std::min<uint64_t>(count, ids.size()));
    return ids;
  }
  // [main] Of all samples of the split, by the name of a scorer.
  std::vector<double> scores(sz_split split, const char* scorer) const {
    std::vector<double> values(static_cast<size_t>(count(split)));
    check(table().scores(raw(), split, scorer, values.size(), values.data()));
    return values;
  }
};

}  // namespace sz::inline sdk
