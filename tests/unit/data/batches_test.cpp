#include "data/batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "unit/data/fixtures.h"

namespace sz {
namespace {

using test::expect_error;
using test::NumberSource;
using test::plan_of;
using ::testing::ElementsAre;

TEST(Batches, SlicesFollowTheRuleOfThePlan) {
  for (const int64_t items : {0, 1, 2, 3, 4, 5, 11, 12, 13, 24, 25}) {
    for (const int ranks : {1, 2, 3}) {
      for (const int64_t micro_batch : {1, 2, 4}) {
        std::map<int64_t, int> seen;
        for (int rank = 0; rank < ranks; ++rank) {
          const Slicing slicing{micro_batch, ranks, rank};
          for (int64_t m = 0; m < micro_batch_count(items, slicing); ++m) {
            const PlanSlice slice = slice_of(items, slicing, m);
            for (int64_t i = slice.begin; i < slice.end; ++i) {
              EXPECT_EQ((i / micro_batch) % ranks, rank);
              EXPECT_EQ((i / micro_batch) / ranks, m);
              ++seen[i];
            }
          }
        }
        EXPECT_EQ(int64_t(seen.size()), items);
        for (const auto& [item, times] : seen) {
          EXPECT_EQ(times, 1);
        }
      }
    }
  }
}

TEST(Batches, PadsToTheLongest) {
  const NumberSource source(20);
  const Plan plan = plan_of({9, 3, 0});  // lengths 3, 4, 1; masked 0, 0, 0
  const MicroBatch batch = make_micro_batch(source, Split::kTrain, plan, {0, 3});
  EXPECT_EQ(batch.rows, 3);
  EXPECT_EQ(batch.cols, 4);
  EXPECT_THAT(batch.ids, ElementsAre(900, 901, 902, 0, 300, 301, 302, 303, 0, 0, 0, 0));
  EXPECT_THAT(batch.labels, ElementsAre(901, 902, 903, 0, 301, 302, 303, 304, 1, 0, 0, 0));
  EXPECT_THAT(batch.mask, ElementsAre(1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0));
  EXPECT_THAT(batch.sample, ElementsAre(9, 3, 0));
  EXPECT_THAT(batch.position, ElementsAre(1000, 1001, 1002));
  EXPECT_THAT(batch.plan_index, ElementsAre(0, 1, 2));
  EXPECT_EQ(batch.tokens, 8);
}

TEST(Batches, MasksAndCounts) {
  const NumberSource source(20);
  const Plan plan = plan_of({5, 13, 2, 4});  // lengths 6, 7, 3, 5; masked 2, 1, 2, 1
  const MicroBatch batch = make_micro_batch(source, Split::kTrain, plan, {1, 3});
  EXPECT_THAT(batch.mask, ElementsAre(0, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 0, 0));
  EXPECT_THAT(batch.plan_index, ElementsAre(1, 2));
  EXPECT_EQ(batch.tokens, 7);
  EXPECT_EQ(count_tokens(source, Split::kTrain, plan), 4 + 6 + 1 + 4);
}

TEST(Batches, TokensOfAllSlicesAreThePlans) {
  const NumberSource source(50);
  const Plan plan = plan_of({1, 49, 7, 6, 33, 21, 12, 30, 5, 5, 16});
  for (const int ranks : {1, 2, 4}) {
    int64_t tokens = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const Slicing slicing{2, ranks, rank};
      for (int64_t m = 0; m < micro_batch_count(int64_t(plan.size()), slicing); ++m) {
        tokens += make_micro_batch(source, Split::kTrain, plan, slice_of(int64_t(plan.size()), slicing, m)).tokens;
      }
    }
    EXPECT_EQ(tokens, count_tokens(source, Split::kTrain, plan));
  }
}

TEST(Batches, EmptySliceIsOneMaskedRow) {
  const NumberSource source(5);
  const Slicing slicing{2, 2, 1};
  const Plan plan = plan_of({1, 2});
  ASSERT_EQ(micro_batch_count(2, slicing), 1);
  const MicroBatch batch = make_micro_batch(source, Split::kTrain, plan, slice_of(2, slicing, 0));
  EXPECT_EQ(batch.rows, 1);
  EXPECT_EQ(batch.cols, 1);
  EXPECT_THAT(batch.ids, ElementsAre(0));
  EXPECT_THAT(batch.mask, ElementsAre(0));
  EXPECT_THAT(batch.sample, ElementsAre(-1));
  EXPECT_THAT(batch.plan_index, ElementsAre(-1));
  EXPECT_EQ(batch.tokens, 0);
}

TEST(Batches, Transforms) {
  const NumberSource source(20);
  Plan plan = plan_of({4, 6});
  plan[1].transform = 3;
  plan[1].seed = 40;
  const Transform longer = [](const PlanItem& item, SampleTokens& sample) {
    EXPECT_EQ(item.transform, 3u);
    sample.ids.insert(sample.ids.begin(), int64_t(item.seed));
    sample.labels.insert(sample.labels.begin(), sample.ids[1]);
    sample.mask.insert(sample.mask.begin(), 0.0f);
  };
  const MicroBatch batch = make_micro_batch(source, Split::kTrain, plan, {0, 2}, longer);
  EXPECT_EQ(batch.cols, 8);
  EXPECT_EQ(batch.ids[0], 400);
  EXPECT_EQ(batch.ids[8], 40);
  EXPECT_EQ(batch.tokens, count_tokens(source, Split::kTrain, plan));

  const Transform unmasks = [](const PlanItem&, SampleTokens& sample) { sample.mask[0] = 0.0f; };
  expect_error(Exit::kPlugin, "transform 3 of sample 6: gives 6 labels",
               [&] { make_micro_batch(source, Split::kTrain, plan, {0, 2}, unmasks); });
  const Transform ragged = [](const PlanItem&, SampleTokens& sample) { sample.ids.pop_back(); };
  expect_error(Exit::kPlugin, "transform 3", [&] { make_micro_batch(source, Split::kTrain, plan, {0, 2}, ragged); });
  expect_error(Exit::kPlugin, "nothing here can do it", [&] { make_micro_batch(source, Split::kTrain, plan, {0, 2}); });
}

}  // namespace
}  // namespace sz
