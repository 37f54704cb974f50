// Generation with a key-value cache against whole forward passes.
#include "train/generator.h"

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <set>

#include "unit/train/passes.h"

namespace sz::test {
namespace {

const std::vector<int64_t> kPrompt = {5, 17, 80, 3};

GenerateOptions greedy(int64_t tokens) {
  GenerateOptions options;
  options.tokens = tokens;
  options.temperature = 0;
  return options;
}

std::vector<int64_t> continued(Passes& passes, const std::vector<int64_t>& prompt, const GenerateOptions& options) {
  SegmentRunner runner = passes.runner();
  return generate(runner, passes.residency, passes.model, prompt, options);
}

at::Tensor row(const std::vector<int64_t>& ids) { return at::tensor(ids, at::kLong).view({1, int64_t(ids.size())}); }

TEST(Generator, TheCacheChangesNothing) {
  Passes passes;
  SegmentRunner runner = passes.runner();
  std::vector<int64_t> ids = kPrompt;
  for (int i = 0; i < 12; ++i) {
    ids.push_back(runner.logits(row(ids), nullptr, 0)[0][-1].argmax().item<int64_t>());
  }
  const std::vector<int64_t> expected(ids.begin() + int64_t(kPrompt.size()), ids.end());
  EXPECT_GT(std::set<int64_t>(expected.begin(), expected.end()).size(), 2u);
  EXPECT_EQ(continued(passes, kPrompt, greedy(12)), expected);
}

// In pieces of several tokens: the past is seen through the cache.
TEST(Generator, LogitsInPiecesAreThoseOfTheWhole) {
  Passes passes(at::kDouble);
  SegmentRunner runner = passes.runner();
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 20; ++i) ids.push_back(i * 13 % 97);
  const at::Tensor whole = runner.logits(row(ids), nullptr, 0);
  KeyValueCache cache;
  cache.keys.resize(passes.model.segments.size());
  cache.values.resize(passes.model.segments.size());
  int64_t past = 0;
  for (const int64_t n : {7, 1, 5, 7}) {
    const std::vector<int64_t> piece(ids.begin() + past, ids.begin() + past + n);
    const at::Tensor logits = runner.logits(row(piece), &cache, past);
    EXPECT_LE(relative_error(logits, whole.narrow(1, past, n)), 1e-12) << "after " << past;
    past += n;
  }
}

TEST(Generator, DrawsDependOnTheSeedAlone) {
  Passes passes;
  GenerateOptions options;
  options.tokens = 15;
  options.temperature = 2;
  options.top_k = 0;
  const auto first = continued(passes, kPrompt, options);
  EXPECT_EQ(continued(passes, kPrompt, options), first);
  options.seed = 1;
  EXPECT_NE(continued(passes, kPrompt, options), first);
  options.top_k = 1;
  EXPECT_EQ(continued(passes, kPrompt, options), continued(passes, kPrompt, greedy(15)));
}

TEST(Generator, ForbiddenTokensAreNeverDrawn) {
  Passes passes;
  GenerateOptions options;
  options.tokens = 20;
  options.temperature = 5;
  options.top_k = 0;
  for (int64_t t = 0; t < 97; ++t) {
    if (t != 7 && t != 8) options.forbidden.push_back(t);
  }
  for (const int64_t token : continued(passes, kPrompt, options)) EXPECT_TRUE(token == 7 || token == 8) << token;
}

TEST(Generator, StopsAtTheEndTokenAndAtTheContext) {
  Passes passes;
  const auto all = continued(passes, kPrompt, greedy(1000));
  EXPECT_EQ(all.size(), size_t(24 - 4 + 1));  // the last one is drawn from a full context
  GenerateOptions options = greedy(1000);
  options.end_token = all[5];
  const auto ended = continued(passes, kPrompt, options);
  EXPECT_EQ(ended.back(), all[5]);
  EXPECT_LE(ended.size(), 6u);
}

}  // namespace
}  // namespace sz::test
