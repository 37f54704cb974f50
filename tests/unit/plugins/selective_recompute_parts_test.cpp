// The parts of plugins/selective_recompute by themselves.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>

#include <csignal>
#include <cstring>
#include <functional>
#include <set>
#include <stdexcept>

#include "selective_recompute/boundary_offload.h"
#include "selective_recompute/budget.h"
#include "selective_recompute/byte_store.h"
#include "selective_recompute/costs.h"
#include "selective_recompute/planner.h"
#include "selective_recompute/policy.h"
#include "unit/base/temporary_folder.h"

namespace recompute {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::string> kNames = {"embedding",       "block.0.attention", "block.0.mlp", "block.1.attention",
                                         "block.1.mlp",     "block.2.attention", "block.2.mlp", "final_norm",
                                         "loss"};
constexpr Keep A = Keep::kAll, C = Keep::kCostly, I = Keep::kInputs;

std::vector<Keep> chosen(const PolicyOptions& options) { return choose(options, kNames); }

TEST(Policy, SegmentsOfEachPolicy) {
  EXPECT_THAT(chosen({"after_first_dropout"}), ElementsAre(A, A, I, A, I, A, I, A, A));
  EXPECT_THAT(chosen({"all"}), ElementsAre(I, I, I, I, I, I, I, I, A));
  EXPECT_THAT(chosen({"budget"}), ElementsAre(I, I, I, I, I, I, I, I, A));
  EXPECT_THAT(chosen({"cheap"}), ElementsAre(C, C, C, C, C, C, C, C, A));
  EXPECT_THAT(chosen({"every_n", 2}), ElementsAre(A, I, I, A, A, I, I, A, A));
  EXPECT_THAT(chosen({"every_n", 3}), ElementsAre(A, I, I, A, A, A, A, A, A));
  EXPECT_THAT(chosen({"list", 2, {"*.mlp", "block.1.*"}}), ElementsAre(A, A, I, I, I, A, I, A, A));
  EXPECT_THAT(chosen({"off"}), ElementsAre(A, A, A, A, A, A, A, A, A));
}

std::string refusal(const PolicyOptions& options, const std::vector<std::string>& names) {
  try {
    choose(options, names);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(Policy, WhatFitsNothingIsRefused) {
  EXPECT_THAT(refusal({"list", 2, {"block.*.mpl"}}, kNames), HasSubstr("\"block.*.mpl\" fits no segment"));
  EXPECT_THAT(refusal({"list", 2, {"loss"}}, kNames), HasSubstr("fits no segment that can be recomputed"));
  EXPECT_THAT(refusal({"after_first_dropout"}, {"a", "b", "c"}), HasSubstr("use \"list\" or \"all\""));
  EXPECT_EQ(refusal({"all"}, {"a", "b", "c"}), "");
}

TEST(Policy, Patterns) {
  EXPECT_TRUE(matches("block.*.mlp", "block.12.mlp"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("block.?.*", "block.1.attention"));
  EXPECT_FALSE(matches("block.?.mlp", "block.12.mlp"));
  EXPECT_FALSE(matches("block", "block.1"));
  EXPECT_TRUE(matches("*a*b*", "xxaxxbxaxb"));
  EXPECT_EQ(kind_of("block.12.mlp"), "block.#.mlp");
}

SegmentCost cost_of(double all, double cheap, double inputs, double cheap_us, double inputs_us, bool has_cheap = true) {
  return {{all, cheap, inputs}, {0, cheap_us, inputs_us}, has_cheap};
}

TEST(Budget, TakesTheBestBytesAMicrosecondFirst) {
  // Cheap gives 40 for 1 us, the rest 50 for 20 us; the other segment 30 for 2 us.
  const std::vector<SegmentCost> segments = {cost_of(100, 60, 10, 1, 21), cost_of(50, 0, 20, 0, 2, false)};
  EXPECT_THAT(choose_for_budget(segments, 150).keep, ElementsAre(A, A));
  EXPECT_THAT(choose_for_budget(segments, 110).keep, ElementsAre(C, A));
  EXPECT_THAT(choose_for_budget(segments, 80).keep, ElementsAre(C, I));
  const BudgetChoice least = choose_for_budget(segments, 30);
  EXPECT_THAT(least.keep, ElementsAre(I, I));
  EXPECT_DOUBLE_EQ(least.bytes, 30);
  EXPECT_DOUBLE_EQ(least.microseconds, 23);
  EXPECT_TRUE(least.fits);
  EXPECT_FALSE(choose_for_budget(segments, 29).fits);
}

TEST(Budget, StepsThatTurnOutNotToBeNeededAreTakenBack) {
  // By worth the small one comes first, but then the large one is needed all the same, and does alone.
  const std::vector<SegmentCost> segments = {cost_of(10, 0, 0, 0, 1, false), cost_of(1000, 0, 0, 0, 200, false)};
  const BudgetChoice choice = choose_for_budget(segments, 10);
  EXPECT_THAT(choice.keep, ElementsAre(A, I));
}

// Every choice of levels, by counting through them.
double best_time(const std::vector<SegmentCost>& segments, double budget) {
  double best = -1;
  int64_t all = 1;
  for (size_t i = 0; i < segments.size(); ++i) all *= 3;
  for (int64_t code = 0; code < all; ++code) {
    double bytes = 0, time = 0;
    int64_t rest = code;
    for (const SegmentCost& s : segments) {
      bytes += s.bytes[rest % 3];
      time += s.microseconds[rest % 3];
      rest /= 3;
    }
    if (bytes <= budget && (best < 0 || time < best)) best = time;
  }
  return best;
}

TEST(Budget, IsWithinOneSegmentOfTheBestChoice) {
  uint64_t state = 1;
  const auto draw = [&](double low, double high) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return low + (high - low) * double(state >> 40) / double(1 << 24);
  };
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<SegmentCost> segments;
    double all = 0, least = 0, dearest = 0;
    for (int i = 0; i < 7; ++i) {
      const double full = draw(50, 100), inputs = draw(5, 20), cheap = draw(inputs, full);
      segments.push_back(cost_of(full, cheap, inputs, draw(0.5, 5), draw(5, 30)));
      all += full;
      least += inputs;
      dearest = std::max(dearest, segments.back().microseconds[2]);
    }
    const double budget = draw(least, all);
    const BudgetChoice choice = choose_for_budget(segments, budget);
    EXPECT_TRUE(choice.fits);
    EXPECT_LE(choice.bytes, budget);
    EXPECT_LE(choice.microseconds, best_time(segments, budget) + dearest) << trial;
  }
}

TEST(Budget, LevelsTravelInNumbers) {
  std::vector<Keep> keep(50), back(50);
  for (size_t i = 0; i < keep.size(); ++i) keep[i] = Keep(i * 7 % 3);
  EXPECT_FALSE(unpack(0, 0, back));
  for (size_t first = 0; first < keep.size(); first += kSegmentsANumber) {
    const double number = packed(keep, first);
    EXPECT_LT(number, 9007199254740992.0);
    EXPECT_TRUE(unpack(number, first, back));
  }
  EXPECT_EQ(back, keep);
}

// Of width 8, with a norm's mean and deviation in fp32 whatever the products' dtype.
TEST(Costs, BytesExpectedFromShapes) {
  // norm's output 8, qkv 24, mixed 8; and norm's output 8, up 32, activation 32.
  const Expected attention = expect({{{24, 8}, {8, 8}}, 8}), mlp = expect({{{32, 8}, {8, 32}}, 8});
  EXPECT_DOUBLE_EQ(attention.given_back(I, 4), 4.0 * (8 + 24 + 8) + 8);
  EXPECT_DOUBLE_EQ(attention.given_back(I, 2), 2.0 * (8 + 24 + 8) + 8);
  EXPECT_DOUBLE_EQ(attention.given_back(C, 4), 4.0 * 8 + 8);
  EXPECT_DOUBLE_EQ(attention.given_back(A, 4), 0);
  EXPECT_DOUBLE_EQ(mlp.given_back(I, 4), 4.0 * (8 + 32 + 32) + 8);
  EXPECT_DOUBLE_EQ(mlp.given_back(C, 2), 2.0 * (8 + 32) + 8);
  EXPECT_DOUBLE_EQ(expect({{}, 8}).given_back(I, 4), 8) << "a norm alone: its output is the segment's";
  EXPECT_DOUBLE_EQ(expect({{}, 0, 8}).given_back(I, 4), 0) << "a table: ids are held anyway";
  EXPECT_DOUBLE_EQ(expect({{{16, 8}}}).given_back(I, 4), 0) << "a product alone: its input is the segment's";
}

TEST(Costs, WorkExpectedFromShapes) {
  const Expected attention = expect({{{24, 8}, {8, 8}}, 8}), mlp = expect({{{32, 8}, {8, 32}}, 8});
  for (const Expected& e : {attention, mlp}) {
    EXPECT_DOUBLE_EQ(e.flops[int(A)], 0);
    EXPECT_GT(e.flops[int(C)], 0);
    EXPECT_LT(e.flops[int(C)], e.flops[int(I)]);
    EXPECT_DOUBLE_EQ(e.flops[int(I)], e.forward_flops);
  }
  // Far wider than anybody's memory is slow: products are all that counts.
  const double wide = 1 << 20;
  const Expected large = expect({{{4 << 20, 1 << 20}, {1 << 20, 4 << 20}}, 1 << 20});
  EXPECT_NEAR(large.forward_flops / (16 * wide * wide), 1, 1e-3);
  EXPECT_GT(expect({{}, 8}).flops[int(I)], 0);
  EXPECT_GT(expect({{}, 0, 8}).flops[int(I)], 0);
}

TEST(Costs, OfAKindForAMicroBatchOfAnySize) {
  Costs costs({"m", "m"});
  EXPECT_LT(costs.microseconds(0, I, 10), 0);
  for (const double t : {500.0, 12.0, 14.0, 10.0, 900.0}) costs.saw_recompute(0, 10, 400, t);
  costs.saw_forward(0, I, 10, 100, 8);
  costs.saw_backward(0, A, 10, 20);
  costs.saw_backward(1, C, 10, 23);
  EXPECT_DOUBLE_EQ(costs.microseconds(1, I, 20), 24);
  EXPECT_DOUBLE_EQ(costs.microseconds(1, C, 20), 6);
  EXPECT_DOUBLE_EQ(costs.given_back(1, I, 20), 800);
  EXPECT_DOUBLE_EQ(costs.held(1, A, 20), 1000);
}

TEST(Costs, RunningAgainInChunksShowsInBackwardAlone) {
  Costs costs({"m"});
  costs.saw_forward(0, I, 1, 100, 8);
  costs.saw_backward(0, I, 1, 31);
  EXPECT_DOUBLE_EQ(costs.microseconds(0, I, 1), 8) << "forward's, where none was kept";
  EXPECT_LT(costs.given_back(0, I, 1), 0);
  costs.saw_forward(0, A, 1, 500, 9);
  costs.saw_backward(0, A, 1, 20);
  EXPECT_DOUBLE_EQ(costs.microseconds(0, I, 1), 11);
  EXPECT_DOUBLE_EQ(costs.given_back(0, I, 1), 400);
}

TEST(Costs, ALevelThatWasNotSeenGivesNothingBack) {
  Costs costs({"m"});
  costs.saw_forward(0, A, 10, 500, 9);
  const SegmentCost cost = costs.cost(0, 10, true);
  EXPECT_THAT(cost.bytes, ElementsAre(500, 500, 500));
  EXPECT_FALSE(cost.has_cheap);
  costs.saw_forward(0, I, 10, 100, 9);
  EXPECT_THAT(costs.cost(0, 10, true).bytes, ElementsAre(500, 100, 100));
}

// Other programs slow down some of the passes, and never speed one up: the levels' difference is seen all the same.
TEST(Costs, ALoadedMachineDoesNotHideADifference) {
  Costs costs({"m"});
  for (const double disturbed : {0.0, 90.0, 0.0, 300.0}) costs.saw_backward(0, A, 1, 100 + disturbed);
  for (const double disturbed : {200.0, 0.0, 5.0, 0.0}) costs.saw_backward(0, C, 1, 103 + disturbed);
  EXPECT_DOUBLE_EQ(costs.microseconds(0, C, 1), 3);
  EXPECT_DOUBLE_EQ(lower_quartile({4, 3, 2, 1}), 2);
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_LT(lower_quartile({}), 0);
}

// What each kind is seen at in the attempts that are measured.
TEST(Planner, EveryKindIsSeenAtEveryLevel) {
  const Planner planner({"budget"}, kNames);
  for (const auto& [kind, members] : planner.members()) {
    std::set<Keep> seen;
    for (int64_t attempt = 1; attempt <= Planner::kLastMeasured + 1; ++attempt) {
      int probes = 0;
      for (const int s : members) {
        const Keep keep = planner.keep(attempt, s);
        probes += keep != I;
        if (planner.measures(attempt)) seen.insert(keep);
      }
      EXPECT_LE(probes, planner.measures(attempt) ? 1 : 0) << kind << " at " << attempt;
    }
    EXPECT_EQ(seen, (std::set<Keep>{A, C, I})) << kind;
  }
}

TEST(Planner, PoliciesOfRecomputeAloneHaveNoProbes) {
  const Planner planner({"all"}, kNames);
  for (int64_t attempt = 1; attempt < 20; ++attempt) EXPECT_EQ(planner.keep(attempt, 3), I);
}

TEST(ByteStore, GivesBackWhatItWasGiven) {
  const sz::test::TemporaryFolder folder;
  ByteStore store(folder.path());
  std::vector<char> a(100000), b(5000), out(100000);
  for (size_t i = 0; i < a.size(); ++i) a[i] = char(i * 31);
  for (size_t i = 0; i < b.size(); ++i) b[i] = char(i * 7);
  const uint64_t at_a = store.take_place(a.size()), at_b = store.take_place(b.size());
  const auto write_a = store.write(a.data(), a.size(), at_a), write_b = store.write(b.data(), b.size(), at_b);
  write_a->wait();
  write_b->wait();
  EXPECT_TRUE(write_b->done());
  store.read(out.data(), a.size(), at_a)->wait();
  EXPECT_EQ(out, a);
  out.resize(b.size());
  store.read(out.data(), b.size(), at_b)->wait();
  EXPECT_EQ(out, b);
  store.give_place(at_a, a.size());
  EXPECT_EQ(store.take_place(a.size()), at_a);
}

void expect_error(Fault fault, const std::string& what, const std::function<void()>& run) {
  try {
    run();
    ADD_FAILURE() << "no error";
  } catch (const StoreError& e) {
    EXPECT_EQ(int(e.fault()), int(fault)) << e.what();
    EXPECT_THAT(e.what(), HasSubstr(what));
    EXPECT_THAT(e.what(), HasSubstr("offload_path"));
  }
}

TEST(ByteStore, ErrorsSayWhatToDo) {
  expect_error(Fault::kFolder, "/nowhere/at/all", [] { ByteStore store("/nowhere/at/all"); });
  const sz::test::TemporaryFolder folder;
  ByteStore store(folder.path());
  char byte = 0;
  expect_error(Fault::kBroken, "reading failed", [&] { store.read(&byte, 1, 1000)->wait(); });
}

// A limit on the size of files makes writes fail as a full disk does.
TEST(ByteStore, AFullDiskIsExhausted) {
  const sz::test::TemporaryFolder folder;
  ByteStore store(folder.path());
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 1000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::vector<char> bytes(5000);
  expect_error(Fault::kFull, "writing failed", [&] { store.write(bytes.data(), bytes.size(), 0)->wait(); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, ignored);
  store.write(bytes.data(), bytes.size(), 0)->wait();
}

TEST(BoundaryOffload, BytesGoAndComeBackForAllWhoShareThem) {
  const sz::test::TemporaryFolder folder;
  BoundaryOffload offload(folder.path());
  const at::Tensor x = at::randn({40, 25}), copy = x.clone();
  const at::Tensor saved = x.detach().view({25, 40});
  EXPECT_EQ(offload.put_away(3, x, {}), 4000u);
  offload.finish_writing();
  EXPECT_EQ(offload.bytes_away(), 4000u);
  EXPECT_EQ(x.storage().nbytes(), 0u);
  offload.bring_back(4);  // the one before is read ahead
  EXPECT_EQ(offload.bytes_away(), 0u);
  offload.bring_back(3);
  EXPECT_TRUE(at::equal(x, copy));
  EXPECT_TRUE(at::equal(saved.view({40, 25}), copy));
}

TEST(BoundaryOffload, WhatIsWantedAtOnceOrSharedStays) {
  const sz::test::TemporaryFolder folder;
  BoundaryOffload offload(folder.path());
  const at::Tensor x = at::randn({1000}), copy = x.clone();
  EXPECT_EQ(offload.put_away(0, x, {x.view({10, 100})}), 0u) << "the output is the same bytes";
  EXPECT_EQ(offload.put_away(1, x.narrow(0, 0, 10), {}), 0u) << "not the whole storage";
  EXPECT_EQ(offload.put_away(2, at::ones({4}, at::kLong), {}), 0u);
  EXPECT_EQ(offload.waiting(), 0u);
  offload.put_away(3, x, {});
  offload.bring_back(3);
  EXPECT_TRUE(at::equal(x, copy));
}

TEST(BoundaryOffload, APassThatWasBrokenOffIsForgotten) {
  const sz::test::TemporaryFolder folder;
  BoundaryOffload offload(folder.path());
  const at::Tensor x = at::randn({1000});
  offload.put_away(0, x, {});
  offload.forget();
  const at::Tensor y = at::randn({1000}), copy = y.clone();
  offload.put_away(0, y, {});
  offload.finish_writing();
  EXPECT_EQ(offload.bytes_away(), 4000u);
  offload.bring_back(0);
  EXPECT_TRUE(at::equal(y, copy));
}

}  // namespace
}  // namespace recompute
