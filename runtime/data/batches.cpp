#include "data/batches.h"

#include <algorithm>
#include <vector>

#include "base/error.h"

namespace sz {
namespace {

// What a rank without a sample computes on, so that all ranks run the same sequence.
MicroBatch masked_row() {
  MicroBatch batch;
  batch.rows = batch.cols = 1;
  batch.ids = batch.labels = {0};
  batch.mask = {0.0f};
  batch.sample = {-1};
  batch.position = {0};
  batch.plan_index = {-1};
  return batch;
}

void transform_sample(const Transform& transform, const PlanItem& item, SampleTokens& sample, int64_t label_tokens) {
  const std::string name = "transform " + std::to_string(item.transform) + " of sample " + std::to_string(item.sample);
  if (!transform) {
    throw Error(Exit::kPlugin, name + ": the sampler asks for it, but nothing here can do it");
  }
  transform(item, sample);
  const auto counted = std::count(sample.mask.begin(), sample.mask.end(), 1.0f);
  const auto masked = std::count(sample.mask.begin(), sample.mask.end(), 0.0f);
  const size_t length = sample.ids.size();
  if (length == 0 || sample.labels.size() != length || sample.mask.size() != length ||
      counted + masked != static_cast<int64_t>(length) || counted != label_tokens) {
    throw Error(Exit::kPlugin, name + ": gives " + std::to_string(counted) + " labels that count in " +
                                   std::to_string(length) + " tokens; it must keep all " +
                                   std::to_string(label_tokens) + " that counted");
  }
}

// Copies row `row` into the padded rectangle.
void place(const SampleTokens& sample, int64_t row, MicroBatch& batch) {
  const int64_t begin = row * batch.cols;
  std::copy(sample.ids.begin(), sample.ids.end(), batch.ids.begin() + begin);
  std::copy(sample.labels.begin(), sample.labels.end(), batch.labels.begin() + begin);
  std::copy(sample.mask.begin(), sample.mask.end(), batch.mask.begin() + begin);
}

}  // namespace

int64_t micro_batch_count(int64_t plan_items, const Slicing& slicing) {
  const int64_t of_all_ranks = slicing.micro_batch * slicing.ranks;
  SZ_ASSERT(of_all_ranks > 0 && slicing.rank >= 0 && slicing.rank < slicing.ranks);
  return (plan_items + of_all_ranks - 1) / of_all_ranks;
}

PlanSlice slice_of(int64_t plan_items, const Slicing& slicing, int64_t micro_batch) {
  SZ_ASSERT(micro_batch >= 0 && micro_batch < micro_batch_count(plan_items, slicing));
  const int64_t group = micro_batch * slicing.ranks + slicing.rank;
  return {std::min(plan_items, group * slicing.micro_batch), std::min(plan_items, (group + 1) * slicing.micro_batch)};
}

int64_t count_tokens(const Source& source, Split split, std::span<const PlanItem> plan) {
  int64_t tokens = 0;
  for (const PlanItem& item : plan) {
    tokens += source.info(split, item.sample).label_tokens;
  }
  return tokens;
}

MicroBatch make_micro_batch(const Source& source, Split split, const Plan& plan, PlanSlice slice,
                            const Transform& transform) {
  SZ_ASSERT(slice.begin >= 0 && slice.end <= static_cast<int64_t>(plan.size()));
  if (slice.size() <= 0) {
    return masked_row();
  }
  MicroBatch batch;
  std::vector<SampleTokens> samples(static_cast<size_t>(slice.size()));
  for (int64_t row = 0; row < slice.size(); ++row) {
    const PlanItem& item = plan[static_cast<size_t>(slice.begin + row)];
    SampleTokens& sample = samples[static_cast<size_t>(row)];
    source.read(split, item.sample, sample);
    const int64_t label_tokens = source.info(split, item.sample).label_tokens;
    if (item.transform != 0) {
      transform_sample(transform, item, sample, label_tokens);
    }
    batch.cols = std::max(batch.cols, static_cast<int64_t>(sample.ids.size()));
    batch.tokens += label_tokens;
    batch.sample.push_back(item.sample);
    batch.position.push_back(item.position);
    batch.plan_index.push_back(static_cast<int32_t>(slice.begin + row));
  }
  batch.rows = slice.size();
  const auto elements = static_cast<size_t>(batch.rows * batch.cols);
  batch.ids.resize(elements);
  batch.labels.resize(elements);
  batch.mask.resize(elements);
  for (int64_t row = 0; row < batch.rows; ++row) {
    place(samples[static_cast<size_t>(row)], row, batch);
  }
  return batch;
}

}  // namespace sz
