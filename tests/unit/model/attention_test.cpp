// Attention against its definition written out in double.
#include "model/attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/rng.h"

namespace sz::test {
namespace {

constexpr int64_t kRows = 2, kHeads = 3, kWidth = 8;

at::Tensor normal(int64_t n, uint64_t key) {
  at::Tensor t = at::zeros({kRows, kHeads, n, kWidth}, at::kDouble);
  double* const data = t.data_ptr<double>();
  for (int64_t i = 0; i < t.numel(); ++i) {
    const Philox4 p = philox(key, uint64_t(i), 0);
    data[i] = to_normal(p[0], p[1])[0];
  }
  return t;
}

// softmax over keys 0 .. past + i, by loops.
at::Tensor reference(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
  const int64_t n = query.size(2), keys = key.size(2), past = keys - n;
  at::Tensor out = at::zeros(query.sizes(), at::kDouble);
  const auto q = query.accessor<double, 4>(), k = key.accessor<double, 4>(), v = value.accessor<double, 4>();
  auto o = out.accessor<double, 4>();
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t h = 0; h < kHeads; ++h) {
      for (int64_t i = 0; i < n; ++i) {
        std::vector<double> weights;
        for (int64_t j = 0; j <= past + i; ++j) {
          double score = 0;
          for (int64_t c = 0; c < kWidth; ++c) score += q[r][h][i][c] * k[r][h][j][c];
          weights.push_back(score / std::sqrt(double(kWidth)));
        }
        const double top = *std::max_element(weights.begin(), weights.end());
        double sum = 0;
        for (double& w : weights) sum += w = std::exp(w - top);
        for (size_t j = 0; j < weights.size(); ++j) {
          for (int64_t c = 0; c < kWidth; ++c) o[r][h][i][c] += weights[j] / sum * v[r][h][int64_t(j)][c];
        }
      }
    }
  }
  return out;
}

struct Case {
  int64_t n, past;
};

class CausalAttention : public testing::TestWithParam<Case> {};

TEST_P(CausalAttention, IsItsDefinition) {
  const auto [n, past] = GetParam();
  const at::Tensor query = normal(n, 1), key = normal(past + n, 2), value = normal(past + n, 3);
  const at::Tensor expected = reference(query, key, value);
  for (const auto& [type, bound] : {std::pair(at::kDouble, 1e-13), std::pair(at::kFloat, 1e-5),
                                    std::pair(at::kBFloat16, 3e-2), std::pair(at::kHalf, 5e-3)}) {
    const at::Tensor out = causal_attention(query.to(type), key.to(type), value.to(type));
    EXPECT_EQ(out.scalar_type(), type);
    EXPECT_LE((out.to(at::kDouble) - expected).abs().max().item<double>(), bound) << c10::toString(type);
  }
}
INSTANTIATE_TEST_SUITE_P(Shapes, CausalAttention,
                         testing::Values(Case{1, 0}, Case{17, 0}, Case{64, 0}, Case{1, 9}, Case{5, 9}, Case{33, 40}));

// What comes later is not seen.
TEST(CausalAttentionMask, LaterTokensChangeNothing) {
  const at::Tensor query = normal(12, 1), key = normal(12, 2), value = normal(12, 3);
  const at::Tensor before = causal_attention(query, key, value).narrow(2, 0, 7).clone();
  key.narrow(2, 7, 5).fill_(100);
  value.narrow(2, 7, 5).fill_(-100);
  EXPECT_LE((causal_attention(query, key, value).narrow(2, 0, 7) - before).abs().max().item<double>(), 1e-14);
}

}  // namespace
}  // namespace sz::test
