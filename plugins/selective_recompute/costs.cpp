#include "costs.h"

#include <algorithm>

namespace recompute {
namespace {

// Of norms and activations, which are bound by memory: about as long as so many operations of a matrix product.
// Machines differ; the measured decisions tell more.
constexpr double kFlopsAnElement = 32;

double quantile(std::vector<double>& values, size_t numerator, size_t denominator) {
  if (values.empty()) return -1;
  const auto at = values.begin() + int64_t(values.size() * numerator / denominator);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

Expected expect(const SegmentShape& shape) {
  const std::vector<MatrixShape>& products = shape.products;
  double cheap = 0, costly = 0, flops = 0, output = double(std::max(shape.norm, shape.table));
  for (size_t i = 0; i < products.size(); ++i) {
    const auto out = double(products[i].out), in = double(products[i].in);
    if (i > 0 && products[i].in != products[i - 1].out) {
      costly += in;
    } else if (i > 0 || shape.norm > 0) {  // else it is the segment's own input, which whoever made it keeps
      cheap += in;
    }
    if (i + 1 < products.size()) costly += out;
    flops += 2 * in * out;
    output = out;
  }
  const double statistics = shape.norm > 0 ? 2 : 0;
  Expected expected;
  expected.forward_flops = flops + kFlopsAnElement * (cheap + output);
  expected.elements[int(Keep::kCostly)] = cheap;
  expected.elements[int(Keep::kInputs)] = cheap + costly;
  expected.statistics[int(Keep::kCostly)] = expected.statistics[int(Keep::kInputs)] = statistics;
  expected.flops[int(Keep::kCostly)] = kFlopsAnElement * cheap;
  expected.flops[int(Keep::kInputs)] = expected.forward_flops;
  return expected;
}

double median(std::vector<double> values) { return quantile(values, 1, 2); }
double lower_quartile(std::vector<double> values) { return quantile(values, 1, 4); }

void Costs::saw_forward(int segment, Keep keep, double tokens, double bytes, double microseconds) {
  Seen& seen = seen_[kinds_.at(size_t(segment))].at[int(keep)];
  seen.bytes.push_back(bytes / tokens);
  seen.forward.push_back(microseconds / tokens);
}

void Costs::saw_backward(int segment, Keep keep, double tokens, double microseconds) {
  seen_[kinds_.at(size_t(segment))].at[int(keep)].backward.push_back(microseconds / tokens);
}

void Costs::saw_recompute(int segment, double tokens, double bytes, double microseconds) {
  Kind& kind = seen_[kinds_.at(size_t(segment))];
  kind.again_bytes.push_back(bytes / tokens);
  kind.again_time.push_back(microseconds / tokens);
}

const Costs::Kind* Costs::find(int segment) const {
  const auto found = seen_.find(kinds_.at(size_t(segment)));
  return found == seen_.end() ? nullptr : &found->second;
}

double Costs::held(int segment, Keep keep, double tokens) const {
  const Kind* kind = find(segment);
  if (!kind) return -1;
  const double bytes = median(kind->at[int(keep)].bytes);
  if (bytes >= 0) return bytes * tokens;
  // Never kept: what running it again brought to life, beside its output.
  const double again = median(kind->again_bytes), output = median(kind->at[int(Keep::kInputs)].bytes);
  return keep == Keep::kAll && again >= 0 && output >= 0 ? (again + output) * tokens : -1;
}

double Costs::given_back(int segment, Keep keep, double tokens) const {
  const double all = held(segment, Keep::kAll, tokens), now = held(segment, keep, tokens);
  return all < 0 || now < 0 ? -1 : std::max(0.0, all - now);
}

double Costs::microseconds(int segment, Keep keep, double tokens) const {
  const Kind* kind = find(segment);
  if (!kind || keep == Keep::kAll) return kind ? 0 : -1;
  const double again = keep == Keep::kInputs ? lower_quartile(kind->again_time) : -1;
  if (again >= 0) return again * tokens;
  const double all = lower_quartile(kind->at[0].backward), now = lower_quartile(kind->at[int(keep)].backward);
  if (all >= 0 && now >= 0) return std::max(0.0, now - all) * tokens;
  const double forward = keep == Keep::kInputs ? lower_quartile(kind->at[int(keep)].forward) : -1;
  return forward < 0 ? -1 : forward * tokens;
}

double Costs::micro_batch_microseconds(int segment, double tokens) const {
  const Kind* kind = find(segment);
  if (!kind) return 0;
  for (const Keep keep : {Keep::kInputs, Keep::kCostly, Keep::kAll}) {
    const Seen& seen = kind->at[int(keep)];
    if (seen.forward.empty()) continue;
    return (lower_quartile(seen.forward) + std::max(0.0, lower_quartile(seen.backward))) * tokens;
  }
  return 0;
}

SegmentCost Costs::cost(int segment, double tokens, bool has_cheap) const {
  const double all = std::max(0.0, held(segment, Keep::kAll, tokens));
  SegmentCost cost;
  for (const Keep keep : {Keep::kInputs, Keep::kCostly, Keep::kAll}) {
    const int level = int(keep);
    const double bytes = held(segment, keep, tokens), time = microseconds(segment, keep, tokens);
    cost.bytes[level] = bytes >= 0 ? bytes : keep == Keep::kInputs ? all : cost.bytes[level + 1];
    cost.microseconds[level] = time >= 0 ? time : cost.microseconds[std::min(level + 1, 2)];
  }
  cost.has_cheap = has_cheap && held(segment, Keep::kCostly, tokens) >= 0;
  return cost;
}

}  // namespace recompute
