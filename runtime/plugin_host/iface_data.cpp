// sz.data/1
#include <sz/host/data.h>

#include <algorithm>

#include "plugin_host/arguments.h"
#include "plugin_host/instance.h"
#include "plugin_host/interfaces.h"

namespace sz {
namespace {

Split to_split(sz_split split) {
  if (split == SZ_TRAIN) return Split::kTrain;
  if (split == SZ_VALIDATION) return Split::kValidation;
  throw Error(Exit::kPlugin, "argument 'split' is the unknown " + std::to_string(split));
}

const Source& source_of(const sz_host* host, const char* function) {
  PluginInstance& plugin = instance_of(host);
  plugin.require_phase(function, kRun);
  if (!plugin.run().source) {
    throw Error(Exit::kPlugin, std::string(function) + " was called before MODEL_DECLARED, where data isn't there yet");
  }
  return *plugin.run().source;
}

const Source& checked(const sz_host* host, const char* function, sz_split split, int64_t sample) {
  const Source& source = source_of(host, function);
  const int64_t count = source.count(to_split(split));
  if (sample < 0 || sample >= count) {
    throw Error(Exit::kPlugin, std::string(function) + ": there is no sample " + std::to_string(sample) +
                                   "; the split has " + std::to_string(count));
  }
  return source;
}

int64_t count(const sz_host* host, sz_split split) {
  int64_t result = 0;
  host_offer().free_error(guarded([&] { result = source_of(host, "sz.data count").count(to_split(split)); }));
  return result;
}

sz_error* info(const sz_host* host, sz_split split, int64_t sample, sz_sample_info* out) {
  return guarded([&] {
    require_pointer(out, "info");
    require_size(out->struct_size, sizeof(sz_sample_info), "info");
    const SampleInfo known = checked(host, "sz.data info", split, sample).info(to_split(split), sample);
    *out = {out->struct_size, known.language, known.document, known.offset, known.length, known.label_tokens};
  });
}

const char* language(const sz_host* host, int32_t index) {
  const char* result = nullptr;
  host_offer().free_error(guarded([&] {
    const std::vector<std::string>& tags = source_of(host, "sz.data language").languages();
    if (index >= 0 && size_t(index) < tags.size()) result = tags[size_t(index)].c_str();
  }));
  return result;
}

sz_error* text(const sz_host* host, sz_split split, int64_t sample, sz_string* out) {
  return guarded([&] {
    require_pointer(out, "text");
    static thread_local std::string lent;
    lent = checked(host, "sz.data text", split, sample).text(to_split(split), sample);
    *out = {lent.c_str(), lent.size()};
  });
}

sz_error* tokens(const sz_host* host, sz_split split, int64_t sample, int64_t* ids, int64_t* labels, float* mask) {
  return guarded([&] {
    static thread_local SampleTokens held;
    checked(host, "sz.data tokens", split, sample).read(to_split(split), sample, held);
    if (ids) std::copy(held.ids.begin(), held.ids.end(), ids);
    if (labels) std::copy(held.labels.begin(), held.labels.end(), labels);
    if (mask) std::copy(held.mask.begin(), held.mask.end(), mask);
  });
}

sz_error* encode(const sz_host* host, sz_string text, uint64_t capacity, int64_t* ids, uint64_t* count) {
  return guarded([&] {
    require_pointer(count, "count");
    if (capacity > 0) require_pointer(ids, "ids");
    if (text.len > 0) require_pointer(text.ptr, "text");
    const std::vector<int64_t> all = source_of(host, "sz.data encode").encode({text.ptr, text.len});
    std::copy_n(all.begin(), std::min<uint64_t>(all.size(), capacity), ids);
    *count = all.size();
  });
}

sz_error* scores(const sz_host* host, sz_split split, const char* scorer, uint64_t capacity, double* out) {
  return guarded([&] {
    const Source& source = source_of(host, "sz.data scores");
    instance_of(host).require_main("sz.data scores");
    const std::string name = required_text(scorer, "scorer");
    require_pointer(out, "scores");
    const auto& compute = instance_of(host).run().context.scores;
    if (!compute) throw Error(Exit::kPlugin, "sz.data scores: this process has no data set whose samples are scored");
    if (capacity != uint64_t(source.count(to_split(split)))) {
      throw Error(Exit::kPlugin, "sz.data scores: there is room for " + std::to_string(capacity) +
                                     " scores; the split has " + std::to_string(source.count(to_split(split))));
    }
    const std::vector<double> values = compute(to_split(split), name);
    std::copy(values.begin(), values.end(), out);
  });
}

}  // namespace

const void* data_interface() {
  static const sz_data table = {sizeof(sz_data), 0, &count, &info, &language, &text, &tokens, &encode, &scores};
  return &table;
}

}  // namespace sz
