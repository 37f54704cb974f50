#include "train/generator.h"

#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/rng.h"

namespace sz {
namespace {

// Draws from softmax(logits / temperature) over the top_k likeliest; `u` is uniform in (0, 1).
int64_t draw(const float* logits, int64_t vocabulary, const GenerateOptions& options, double u) {
  std::vector<int64_t> order(static_cast<size_t>(vocabulary));
  std::iota(order.begin(), order.end(), 0);
  const auto banned = [&](int64_t t) {
    return std::find(options.forbidden.begin(), options.forbidden.end(), t) != options.forbidden.end();
  };
  std::erase_if(order, banned);
  const size_t wanted = options.temperature <= 0 ? 1 : options.top_k > 0 ? size_t(options.top_k) : order.size();
  const size_t kept = std::min(order.size(), wanted);
  // Ties by token, so that every rank draws alike.
  std::partial_sort(order.begin(), order.begin() + kept, order.end(), [&](int64_t a, int64_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  });
  if (kept == 1) return order[0];
  std::vector<double> weights;
  for (size_t i = 0; i < kept; ++i) {
    weights.push_back(std::exp((logits[order[i]] - logits[order[0]]) / options.temperature));
  }
  double left = u * std::accumulate(weights.begin(), weights.end(), 0.0);
  for (size_t i = 0; i < kept; ++i) {
    left -= weights[i];
    if (left <= 0) return order[i];
  }
  return order[kept - 1];
}

}  // namespace

std::vector<int64_t> generate(SegmentRunner& runner, Residency& residency, const ModelDeclaration& model,
                              const std::vector<int64_t>& prompt, const GenerateOptions& options) {
  SZ_ASSERT(!prompt.empty() && int64_t(prompt.size()) <= model.context);
  KeyValueCache cache;
  cache.keys.resize(model.segments.size());
  cache.values.resize(model.segments.size());
  residency.hold_all();
  std::vector<int64_t> fresh, input = prompt;
  int64_t past = 0;
  while (int64_t(fresh.size()) < options.tokens && past + int64_t(input.size()) <= model.context) {
    const at::Tensor ids = at::tensor(input, at::kLong).view({1, int64_t(input.size())});
    const at::Tensor logits = runner.logits(ids, &cache, past).to(at::kFloat).contiguous();
    past += int64_t(input.size());
    const float* const last = logits.const_data_ptr<float>() + (logits.size(1) - 1) * logits.size(2);
    const double u = to_unit(philox(mix(options.seed, hash_name("generate")), uint64_t(past), 0)[0]);
    const int64_t token = draw(last, logits.size(2), options, u);
    fresh.push_back(token);
    if (token == options.end_token) break;
    input = {token};
  }
  residency.let_go();
  return fresh;
}

}  // namespace sz
