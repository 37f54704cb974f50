// Plans: no sample of the pool is left out or taken twice within a pass, whatever the threshold does.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "curriculum_dual_loop/pool.h"
#include "curriculum_dual_loop/random.h"

namespace curriculum {
namespace {

Pool pool_of(int64_t n, uint64_t seed = 7) {
  std::vector<double> difficulty;
  for (const int32_t place : permutation(n, 99)) difficulty.push_back(double(place + 1) / double(n));
  return Pool(difficulty, seed);
}

std::vector<int64_t> samples_of(const std::vector<Item>& items) {
  std::vector<int64_t> samples;
  for (const Item& item : items) samples.push_back(item.sample);
  return samples;
}

// The next n samples of the order, planned `batch` at a time.
std::vector<int64_t> draw(const Pool& pool, SamplerState& state, const Mixture& mixture, int64_t n, int64_t batch) {
  std::vector<int64_t> all;
  while (int64_t(all.size()) < n) {
    for (const Item& item : pool.plan(state, mixture, std::min(batch, n - int64_t(all.size()))))
      all.push_back(item.sample);
  }
  return all;
}

TEST(Pool, CountsTheEligible) {
  const Pool pool = pool_of(10);
  EXPECT_EQ(pool.eligible(0.3), 3);  // 3 / 10 counts as at the threshold
  EXPECT_EQ(pool.eligible(0), 0);
  EXPECT_EQ(pool.eligible(1), 10);
}

TEST(Pool, APassTakesEachEligibleSampleOnce) {
  for (const int64_t batch : {1, 3, 8, 30}) {
    const Pool pool = pool_of(50);
    SamplerState state;
    Mixture mixture;
    mixture.threshold = 0.6;
    for (int pass = 0; pass < 3; ++pass) {
      const auto taken = draw(pool, state, mixture, 30, batch);
      const std::set<int64_t> distinct(taken.begin(), taken.end());
      EXPECT_EQ(distinct.size(), 30u) << "batch " << batch << " pass " << pass;
      for (const int64_t sample : taken) EXPECT_TRUE(pool.is_eligible(sample, 0.6));
    }
    EXPECT_EQ(state.position, 90u);
  }
}

TEST(Pool, PassesHaveOrdersOfTheirOwnAndSeedsToo) {
  const Pool pool = pool_of(40), other = pool_of(40, 8);
  SamplerState state, state_other;
  const auto first = draw(pool, state, {}, 40, 8), second = draw(pool, state, {}, 40, 8);
  EXPECT_NE(first, second);
  EXPECT_NE(first, draw(other, state_other, {}, 40, 8));
}

// The heart: thresholds that rise and fall at random, for many walks. Within a pass nothing repeats; at its end all
// that lie at or below the last threshold were taken.
TEST(Pool, NothingStarvesOrRepeatsWhileTheThresholdMoves) {
  for (uint64_t trial = 0; trial < 200; ++trial) {
    Random random(trial);
    const int64_t n = 20 + int64_t(random.below(60));
    const Pool pool = pool_of(n, trial);
    SamplerState state;
    std::map<int64_t, std::set<int64_t>> taken;  // by pass
    std::map<int64_t, double> lowest, last;      // thresholds of the pass
    for (int plan = 0; plan < 120; ++plan) {
      Mixture mixture;
      mixture.threshold = pool.widened(double(1 + random.below(10)) / 10, 4);
      const int64_t before = state.pass;
      // One item at a time, so that it is known which pass each belongs to.
      for (int i = 0; i < 4; ++i) {
        const int64_t sample = pool.plan(state, mixture, 1)[0].sample;
        ASSERT_TRUE(pool.is_eligible(sample, mixture.threshold));
        ASSERT_TRUE(taken[state.pass].insert(sample).second) << "trial " << trial << " repeats " << sample;
        last[state.pass] = mixture.threshold;
      }
      if (state.pass > before && taken.count(before)) {
        for (int64_t s = 0; s < n; ++s) {
          const double bound = std::min(last[before], mixture.threshold);
          if (!pool.is_eligible(s, bound)) continue;
          ASSERT_TRUE(taken[before].count(s)) << "trial " << trial << " starves " << s;
        }
      }
    }
  }
}

TEST(Pool, SamplesThatBecomeEligibleInMidPassComeInTheSamePass) {
  const Pool pool = pool_of(20);
  SamplerState state;
  Mixture easy, all;
  easy.threshold = 0.5;
  auto taken = draw(pool, state, easy, 6, 3);
  for (const int64_t sample : draw(pool, state, all, 14, 7)) taken.push_back(sample);
  EXPECT_EQ(std::set<int64_t>(taken.begin(), taken.end()).size(), 20u);
  EXPECT_EQ(state.pass, 0);
}

TEST(Pool, AHundredThresholdsLeaveASmallState) {
  const Pool pool = pool_of(1000);
  SamplerState state;
  Mixture mixture;
  for (int t = 30; t <= 100; ++t) {
    mixture.threshold = t / 100.0;
    pool.plan(state, mixture, 10);
  }
  EXPECT_LE(state.walks.size(), 71u);
  draw(pool, state, mixture, 1000 - 710 + 5, 5);
  EXPECT_LE(state.walks.size(), 2u) << "walks that a longer one contains are dropped";
}

TEST(Pool, ThePlanIsAFunctionOfTheState) {
  const Pool pool = pool_of(30);
  SamplerState state;
  Mixture mixture;
  mixture.threshold = 0.5;
  draw(pool, state, mixture, 10, 5);
  SamplerState copy = SamplerState::decode(state.encode());
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(samples_of(pool.plan(state, mixture, 5)), samples_of(pool.plan(copy, mixture, 5)));
    EXPECT_EQ(state.encode(), copy.encode());
  }
  EXPECT_THROW(SamplerState::decode("bad"), std::runtime_error);
  EXPECT_THROW(SamplerState::decode(state.encode() + "x"), std::runtime_error);
}

// Reported fault: with another number of ranks, and so another batch, the order must stay.
TEST(Pool, TheOrderDoesNotDependOnTheBatch) {
  const Pool pool = pool_of(64);
  Mixture mixture;
  mixture.threshold = 0.7;
  mixture.review_share = 0.2;
  mixture.review = {1, 2, 3};
  mixture.adversarial_share = 0.1;
  mixture.adversarial = {4, 5};
  SamplerState a, b;
  EXPECT_EQ(draw(pool, a, mixture, 240, 4), draw(pool, b, mixture, 240, 12));
  EXPECT_EQ(a.encode(), b.encode());
}

// Reported fault: 8 samples asked of a bucket of 2.
TEST(Pool, TheThresholdWidensWhereTooFewAreEligible) {
  const Pool pool = pool_of(20);
  EXPECT_EQ(pool.eligible(0.1), 2);
  EXPECT_DOUBLE_EQ(pool.widened(0.1, 8), 0.4);
  EXPECT_EQ(pool.eligible(pool.widened(0.1, 8)), 8);
  EXPECT_EQ(pool.widened(0.5, 8), 0.5);
  EXPECT_EQ(pool.widened(0.1, 100), 1) << "more than there are";
  SamplerState state;
  Mixture nothing;
  nothing.threshold = 0;
  EXPECT_THROW(pool.plan(state, nothing, 8), std::runtime_error) << "no endless search";
}

// Reported fault: the length promised and the length yielded differ.
TEST(Pool, APlanHasAsManyItemsAsAskedOrAllThereAre) {
  const Pool pool = pool_of(10);
  SamplerState state;
  for (int i = 0; i < 50; ++i) EXPECT_EQ(pool.plan(state, {}, 6).size(), 6u);
  EXPECT_EQ(pool.plan(state, {}, 100).size(), 10u);
}

TEST(Pool, SharesOfReviewAndAdversarialAreExactAndSpread) {
  const Pool pool = pool_of(100);
  Mixture mixture;
  mixture.threshold = 0.5;
  mixture.review_share = 0.2;
  mixture.adversarial_share = 0.1;
  mixture.review = {0, 1, 2, 3, 4, 5, 6};
  mixture.adversarial = {10, 11, 12};
  SamplerState state;
  std::map<Kind, int> count;
  std::map<int64_t, int> reviewed, copied, hard;
  for (int plan = 0; plan < 100; ++plan) {
    std::map<Kind, int> own;
    for (const Item& item : pool.plan(state, mixture, 10)) {
      ++own[item.kind];
      if (item.kind == Kind::kReview) ++reviewed[item.sample];
      if (item.kind == Kind::kPerturbed) ++copied[item.sample];
      if (item.kind == Kind::kHard) ++hard[item.sample];
    }
    EXPECT_EQ(own[Kind::kPool], 7) << "plan " << plan;
    for (const auto& [kind, n] : own) count[kind] += n;
  }
  EXPECT_EQ(count[Kind::kReview], 200);
  EXPECT_EQ(count[Kind::kHard], 50);
  EXPECT_EQ(count[Kind::kPerturbed], 50);
  for (const auto& [sample, n] : reviewed) EXPECT_NEAR(n, 200 / 7.0, 1.01) << "taken in turn";
  EXPECT_EQ(copied.size(), 3u);
  EXPECT_EQ(hard.size(), 3u);
}

TEST(Pool, ReviewDoesNotStarveThePool) {
  const Pool pool = pool_of(40);
  Mixture mixture;
  mixture.review_share = 0.5;
  mixture.review = {0};
  SamplerState state;
  std::set<int64_t> taken;
  for (const Item& item : pool.plan(state, mixture, 40)) {
    if (item.kind != Kind::kPool) continue;
    EXPECT_TRUE(taken.insert(item.sample).second);
  }
  for (const Item& item : pool.plan(state, mixture, 40)) {
    if (item.kind != Kind::kPool) continue;
    EXPECT_TRUE(taken.insert(item.sample).second);
  }
  EXPECT_EQ(taken.size(), 40u);
}

// Reported fault: the same seed on every rank. A plan is one list for all ranks; each of its items has its own place
// and seed, so that no two ranks train on the same draw.
TEST(Pool, EachItemHasItsOwnPositionAndSeed) {
  const Pool pool = pool_of(12);
  SamplerState state;
  std::set<uint64_t> positions, seeds;
  for (int plan = 0; plan < 10; ++plan) {
    for (const Item& item : pool.plan(state, {}, 12)) {
      EXPECT_TRUE(positions.insert(item.position).second);
      EXPECT_TRUE(seeds.insert(item.seed).second);
    }
  }
  EXPECT_EQ(*positions.rbegin(), 119u);
}

}  // namespace
}  // namespace curriculum
