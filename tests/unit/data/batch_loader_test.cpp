#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "data/batches.h"
#include "unit/data/fixtures.h"

namespace sz {
namespace {

using test::expect_error;
using test::NumberSource;
using test::plan_of;
using ::testing::ElementsAre;

BatchLoaderOptions options_of(int64_t micro_batch, int ranks = 1, int rank = 0, int64_t prefetch = 2) {
  BatchLoaderOptions options;
  options.slicing = {micro_batch, ranks, rank};
  options.prefetch = prefetch;
  return options;
}

TEST(BatchLoader, DeliversPlansInOrder) {
  BatchLoader loader(std::make_shared<NumberSource>(30), options_of(2));
  loader.push(plan_of({1, 2, 3, 4, 5}));
  loader.push(plan_of({6, 7}));
  EXPECT_EQ(loader.pending(), 4);
  EXPECT_THAT(loader.next().sample, ElementsAre(1, 2));
  EXPECT_THAT(loader.next().sample, ElementsAre(3, 4));
  EXPECT_THAT(loader.next().sample, ElementsAre(5));
  EXPECT_THAT(loader.next().sample, ElementsAre(6, 7));
  EXPECT_EQ(loader.pending(), 0);
}

TEST(BatchLoader, RanksStayInLockstep) {
  const auto source = std::make_shared<NumberSource>(30);
  BatchLoader first(source, options_of(2, 2, 0)), second(source, options_of(2, 2, 1));
  for (BatchLoader* loader : {&first, &second}) {
    loader->push(plan_of({1, 2, 3, 4, 5}));
    EXPECT_EQ(loader->pending(), 2);
  }
  EXPECT_THAT(first.next().plan_index, ElementsAre(0, 1));
  EXPECT_THAT(second.next().plan_index, ElementsAre(2, 3));
  EXPECT_THAT(first.next().plan_index, ElementsAre(4));
  EXPECT_THAT(second.next().plan_index, ElementsAre(-1));
}

TEST(BatchLoader, DropForgetsWhatWasQueued) {
  BatchLoader loader(std::make_shared<NumberSource>(30), options_of(1));
  loader.push(plan_of({1, 2, 3}));
  loader.push(plan_of({4, 5, 6}));
  EXPECT_THAT(loader.next().sample, ElementsAre(1));
  loader.drop();
  EXPECT_EQ(loader.pending(), 0);
  loader.push(plan_of({7, 8}));
  EXPECT_THAT(loader.next().sample, ElementsAre(7));
  EXPECT_THAT(loader.next().sample, ElementsAre(8));
}

TEST(BatchLoader, ManyDropsWhileLoading) {
  BatchLoader loader(std::make_shared<NumberSource>(100), options_of(1));
  for (int64_t i = 0; i < 90; ++i) {
    loader.push(plan_of({i, i + 1, i + 2, i + 3}));
    EXPECT_THAT(loader.next().sample, ElementsAre(i));
    loader.drop();
  }
}

// A gate in the transform holds the I/O thread inside a load: what it then delivers is of a dropped plan.
TEST(BatchLoader, DropDoesNotWaitForALoad) {
  std::mutex mutex;
  std::condition_variable changed;
  bool inside = false, open = false;
  BatchLoaderOptions options = options_of(1);
  options.transform = [&](const PlanItem&, SampleTokens&) {
    std::unique_lock lock(mutex);
    inside = true;
    changed.notify_all();
    changed.wait(lock, [&] { return open; });
  };
  BatchLoader loader(std::make_shared<NumberSource>(30), options);
  Plan gated = plan_of({1});
  gated[0].transform = 1;
  loader.push(gated);
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return inside; });
  }
  loader.drop();
  loader.push(plan_of({2}));
  {
    const std::lock_guard lock(mutex);
    open = true;
  }
  changed.notify_all();
  EXPECT_THAT(loader.next().sample, ElementsAre(2));
  EXPECT_EQ(loader.pending(), 0);
}

TEST(BatchLoader, ErrorsReachTheConsumerInTheirPlace) {
  const auto source = std::make_shared<NumberSource>(30);
  source->broken = 3;
  BatchLoader loader(source, options_of(1));
  loader.push(plan_of({1, 2, 3, 4}));
  EXPECT_THAT(loader.next().sample, ElementsAre(1));
  EXPECT_THAT(loader.next().sample, ElementsAre(2));
  expect_error(Exit::kData, "sample 3 can't be read", [&] { loader.next(); });
  EXPECT_EQ(loader.pending(), 0);
  source->broken = -1;
  loader.push(plan_of({3}));
  EXPECT_THAT(loader.next().sample, ElementsAre(3));
}

TEST(BatchLoader, HoldsNoMoreThanPrefetch) {
  std::atomic<int> loaded{0};
  BatchLoaderOptions options = options_of(1, 1, 0, 3);
  options.transform = [&](const PlanItem&, SampleTokens&) { ++loaded; };
  BatchLoader loader(std::make_shared<NumberSource>(30), options);
  Plan plan = plan_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  for (PlanItem& item : plan) {
    item.transform = 1;
  }
  loader.push(plan);
  for (int taken = 1; taken <= 10; ++taken) {
    loader.next();
    EXPECT_LE(loaded.load(), taken + 3);
    EXPECT_GE(loaded.load(), taken);
  }
}

TEST(BatchLoader, EndsWithWorkQueued) {
  BatchLoader loader(std::make_shared<NumberSource>(30), options_of(1));
  loader.push(plan_of({1, 2, 3, 4, 5, 6, 7, 8}));
}

}  // namespace
}  // namespace sz
