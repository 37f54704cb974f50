// The real curriculum_dual_loop.so in whole runs: state, ranks, roll backs, perturbed copies, pacings and scorers of
// other plugins.
#include <gtest/gtest.h>

#include <mutex>

#include "unit/plugins/curriculum_run.h"

namespace sz::test {
namespace {

const char* const kQuick =
    "warmup_epochs = 1\ninner_every = 3\nsmoothing_window = 2\nbuckets = 4\nstall_slope = 1.0\n"
    "inner_low = 0.0\ninner_high = 0.001\nadversarial_fraction = 0.25\n";  // both loops act at once

TEST(Curriculum, EasySamplesComeFirstAndAllAtTheEnd) {
  CurriculumRun school("adjustment_strategy = \"fixed_linear\"");
  school.spec.options.steps = 40;
  const RunResult result = school.run();
  const auto longest = [&](size_t begin, size_t end) {
    std::map<int32_t, int64_t> longest;
    for (size_t i = begin; i < end; ++i) {
      for (const PlanItem& item : school.plans[i].plan) {
        const SampleInfo info = school.spec.source->info(Split::kTrain, item.sample);
        longest[info.language] = std::max(longest[info.language], info.length);
      }
    }
    return longest;
  };
  ASSERT_EQ(school.plans.size(), 40u);
  const auto early = longest(0, 4), late = longest(36, 40);
  for (const int32_t language : {0, 1}) EXPECT_LT(early.at(language), late.at(language) / 2) << language;
  EXPECT_FALSE(school.of("difficulty_threshold").empty());
  EXPECT_EQ(school.of("difficulty_threshold").back().at("to"), 1.0);
  EXPECT_EQ(school.of("data_hidden").size(), 1u);
  EXPECT_EQ(with(result.metrics, "curriculum_dual_loop.threshold").size(), 40u);
  EXPECT_EQ(with(result.metrics, "curriculum_dual_loop.loss_std_error").size(), 40u);
}

// Reported fault: sampler state not restored. Cuts in mid-epoch, at an epoch's end, in warm-up and with both loops on.
TEST(Curriculum, ResumeInMidEpochIsBitExact) {
  for (const int64_t every : {4, 6, 10}) {  // 6 plans an epoch
    const TemporaryFolder folder;
    CurriculumRun whole(kQuick);
    whole.spec.options.steps = 20;
    whole.spec.options.checkpoint_every = every;
    whole.spec.options.checkpoint_keep = 10;
    whole.spec.folder = folder.path();
    const RunResult expected = whole.run();
    EXPECT_FALSE(whole.of("review").empty());
    EXPECT_FALSE(whole.of("adversarial").empty());

    CurriculumRun rest(kQuick);
    rest.spec.options.steps = 20;
    rest.spec.resume = folder.path() + "/checkpoints/step-" + std::to_string(every);
    const RunResult resumed = rest.run();
    expect_identical(resumed.arrays, expected.arrays);
    whole.plans.erase(whole.plans.begin(), whole.plans.begin() + every);
    EXPECT_EQ(items_of(rest.plans), items_of(whole.plans)) << "after step " << every;
    EXPECT_EQ(rest.of("difficulty_threshold").back(), whole.of("difficulty_threshold").back());
  }
}

TEST(Curriculum, ThePlanIsTheSameOnAllRanksAndForAnyNumberOfThem) {
  std::vector<std::vector<int64_t>> first;
  RunResult one;
  for (const int ranks : {1, 2, 4}) {
    CurriculumRun school(kQuick);
    school.spec.ranks = ranks;
    school.spec.options.micro_batch = 2;
    school.spec.options.accumulation = 4 / ranks;
    school.spec.options.steps = 12;
    const RunResult result = school.run();
    expect_replicas_identical(result);
    if (ranks == 1) {
      first = items_of(school.plans);
      one = result;
      continue;
    }
    EXPECT_EQ(items_of(school.plans), first) << ranks << " ranks";
    EXPECT_LT(relative_difference(one.arrays, result.arrays), 1e-5);
  }
}

// A run that goes on with half the ranks, and so with half the batch, takes the samples that would have come next.
TEST(Curriculum, AResumeOnAnotherNumberOfRanksKeepsTheOrder) {
  const std::string keys = "warmup_epochs = 0\ninner_every = 1000\nfinal_release = 0.0";
  const TemporaryFolder folder;
  CurriculumRun whole(keys);
  whole.spec.ranks = 2;
  whole.spec.options.micro_batch = 2;
  whole.spec.options.steps = 9;
  whole.spec.options.checkpoint_every = 3;
  whole.spec.options.checkpoint_keep = 10;
  whole.spec.folder = folder.path();
  whole.run();
  CurriculumRun rest(keys);
  rest.spec.options.micro_batch = 2;
  rest.spec.options.steps = 15;
  rest.spec.resume = folder.path() + "/checkpoints/step-3";
  rest.run();
  const auto expected = items_of(whole.plans), got = items_of(rest.plans);
  ASSERT_EQ(got.size(), 24u);
  EXPECT_EQ(got, std::vector(expected.begin() + 12, expected.end()));
}

// Reported fault: the length promised and the length yielded differ. A threshold makes no epoch shorter.
TEST(Curriculum, EveryEpochHasThePlansThatWerePromised) {
  CurriculumRun school(kQuick, 22);
  school.spec.options.steps = 0;
  school.spec.options.epochs = 6;
  std::map<int64_t, int> plans;
  school.prepare = [&](RankParts& parts) {
    watch(parts, {Hook::kStepEnd}, [&](const HookInfo& info) { ++plans[info.epoch]; });
  };
  school.run();
  EXPECT_GE(school.of("difficulty_threshold").size(), 5u);
  ASSERT_EQ(plans.size(), 6u);
  for (const auto& [epoch, count] : plans) EXPECT_EQ(count, 6) << "ceil(22 / 4), in epoch " << epoch;
  for (const PlanSeen& seen : school.plans) EXPECT_EQ(seen.plan.size(), 4u);
}

// Reported faults: 10 rows with micro-batch 2 on 3 ranks; the length promised and the length yielded differ; the same
// seed on every rank.
TEST(Curriculum, TenRowsOnThreeRanks) {
  CurriculumRun school("adjustment_strategy = \"none\"", 10, 3);
  school.spec.ranks = 3;
  school.spec.options.micro_batch = 2;
  school.spec.options.steps = 0;
  school.spec.options.epochs = 5;
  std::mutex mutex;
  std::map<std::pair<int64_t, int>, std::vector<int64_t>> rows;  // by attempt and rank
  school.prepare = [&](RankParts& parts) {
    watch(parts, {Hook::kLoss}, [&, rank = parts.rank()](const HookInfo& info) {
      if (info.mode != Mode::kTrain) return;
      const std::lock_guard lock(mutex);
      auto& own = rows[{info.attempt, rank}];
      own.insert(own.end(), info.batch->position.begin(), info.batch->position.end());
    });
  };
  school.run();
  ASSERT_EQ(school.plans.size(), 10u) << "2 plans an epoch";
  std::map<int64_t, int> taken;
  for (const PlanSeen& seen : school.plans) {
    EXPECT_EQ(seen.plan.size(), 6u);
    for (const PlanItem& item : seen.plan) ++taken[item.sample];
  }
  for (int64_t s = 0; s < 10; ++s) EXPECT_EQ(taken[s], 6) << "60 draws over 10 samples";
  for (int64_t attempt = 1; attempt <= 10; ++attempt) {
    std::set<int64_t> places;
    for (int rank = 0; rank < 3; ++rank) {
      const auto& own = rows.at({attempt, rank});
      EXPECT_EQ(own.size(), 2u);
      places.insert(own.begin(), own.end());
    }
    EXPECT_EQ(places.size(), 6u) << "no two ranks take the same draw";
  }
}

// Rolls back at one attempt and raises the event, as a precision plugin would.
class RollBackOnce final : public Voter {
 public:
  RollBackOnce(RunServices& services, int64_t attempt) : services_(services), attempt_(attempt) {}
  std::string name() const override { return "roll_back_once"; }
  Vote vote(const StepFacts& facts) override {
    Vote vote;
    if (facts.attempt != attempt_) return vote;
    services_.events.publish({"gradient_instability", "amp_o2", {}});
    vote.verdict = Verdict::kRollBack;
    vote.reason = "test";
    return vote;
  }

 private:
  RunServices& services_;
  int64_t attempt_;
};

TEST(Curriculum, ARollBackRestoresItAndTheEventAfterItHolds) {
  const std::string keys = "warmup_epochs = 0\nstart_complexity = 0.7\ninner_every = 4\ninner_low = 0\n"
                           "inner_high = 0.001\nadjustment_strategy = \"inner\"\nfinal_release = 0";
  CurriculumRun school(keys);
  school.spec.options.steps = 9;
  school.spec.options.stable_every = 3;
  school.spec.options.stable_after = 1;
  school.prepare = [](RankParts& parts) { parts.voters.push_back(parts.own<RollBackOnce>(parts.services, 6)); };
  school.run();
  // Attempts 1 to 5 are steps 1 to 5; the inner loop lowers at step 4: 0.7 -> 0.63. Attempt 6 rolls back to step 3,
  // where the threshold is 0.7 again, and the event takes 0.05.
  const auto moves = school.of("difficulty_threshold");
  ASSERT_GE(moves.size(), 3u);
  EXPECT_NEAR(double(moves[0].at("to")), 0.63, 1e-9);
  EXPECT_NEAR(double(moves[1].at("from")), 0.70, 1e-9);
  EXPECT_NEAR(double(moves[1].at("to")), 0.65, 1e-9);
  EXPECT_NE(std::string(moves[1].at("cause")).find("gradient_instability"), std::string::npos);
  EXPECT_NEAR(double(moves[2].at("to")), 0.65 * 0.9, 1e-9) << "step 4 again";
  // The data go on at the stable state: attempt 7 takes the place of attempt 4.
  EXPECT_EQ(school.plans.at(6).plan[0].position, school.plans.at(3).plan[0].position);
}

// What micro-batches hold, against the source: perturbed copies are marked, all else is as stored, and validation is
// never touched.
TEST(Curriculum, PerturbedCopiesAreMarkedAndNeverLeakIntoValidation) {
  CurriculumRun school(kQuick);
  school.spec.options.steps = 36;
  int perturbed = 0, changed = 0, plain = 0, validated = 0;
  const std::shared_ptr<const Source> source = school.spec.source;
  school.prepare = [&](RankParts& parts) {
    auto* plan = parts.own<Plan>();
    watch(parts, {Hook::kBatchReady}, [plan](const HookInfo& info) {
      if (info.plan) *plan = *info.plan;
    });
    watch(parts, {Hook::kLoss}, [&, plan](const HookInfo& info) {
      const Split split = info.mode == Mode::kTrain ? Split::kTrain : Split::kValidation;
      for (int64_t row = 0; row < info.batch->rows; ++row) {
        SampleTokens stored;
        source->read(split, info.batch->sample[size_t(row)], stored);
        const auto begin = info.batch->ids.begin() + row * info.batch->cols;
        const bool same = std::equal(stored.ids.begin(), stored.ids.end(), begin);
        if (split == Split::kValidation) {
          EXPECT_TRUE(same);
          ++validated;
          continue;
        }
        const PlanItem& item = plan->at(size_t(info.batch->plan_index[size_t(row)]));
        EXPECT_EQ(item.transform != 0, item.flags == 4) << "marked";
        (item.transform != 0 ? perturbed : plain) += 1;
        changed += !same;
        EXPECT_TRUE(same || item.transform != 0);
      }
    });
  };
  school.run();
  EXPECT_GT(plain, 100);
  EXPECT_GT(perturbed, 5);
  EXPECT_GT(changed, 0) << "a copy of one word may come out as it was";
  EXPECT_LE(changed, perturbed);
  EXPECT_GT(validated, 12);
}

TEST(Curriculum, ValidationIsSplitIntoDifficultyBuckets) {
  CurriculumRun school("buckets = 3");
  school.spec.options.steps = 6;
  std::map<std::string, double> tokens;
  double total = 0;
  school.prepare = [&](RankParts& parts) {
    watch(parts, {Hook::kEvalEnd}, [&](const HookInfo& info) {
      total = info.eval->tokens;
      for (const GroupResult& group : info.eval->groups) {
        if (group.grouping == "curriculum_dual_loop") tokens[group.group] = group.tokens;
      }
    });
  };
  school.run();
  EXPECT_EQ(tokens.size(), 3u);
  double sum = 0;
  for (const auto& [name, count] : tokens) sum += count;
  EXPECT_EQ(sum, total);
  EXPECT_LT(tokens["bucket_0"], tokens["bucket_2"]);
}

TEST(Curriculum, AThirdPartysPacingIsUsedByName) {
  CurriculumRun school("adjustment_strategy = \"stairs\"\nwarmup_epochs = 0\nfinal_release = 0.0\n"
                       "[plugins.stairs_pacing]\nenabled = true\ntread = 5\nrise = 0.1\ncalm = 100.0");
  school.spec.options.steps = 14;
  school.run();
  const auto moves = school.of("difficulty_threshold");
  ASSERT_EQ(moves.size(), 2u);
  EXPECT_NEAR(double(moves[1].at("to")), 0.5, 1e-9);
  EXPECT_EQ(moves[1].at("cause"), "stairs: 10 steps done");
}

TEST(Curriculum, SaysWhichScorersAndPacingsThereAre) {
  const auto failure = [](const std::string& keys) -> std::string {
    CurriculumRun school("");
    school.toml = keys;
    school.spec.options.steps = 2;
    try {
      school.run();
    } catch (const std::exception& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_NE(failure("[plugins.curriculum_dual_loop]\nenabled = true\ndifficulty_metric = \"depth\"\n"
                    "[plugins.test_length_scorer]\nenabled = true\n").find("given: length"), std::string::npos);
  EXPECT_NE(
      failure("[plugins.curriculum_dual_loop]\nenabled = true\ndifficulty_metric = \"combined\"\n").find("scorer"),
      std::string::npos);
  const std::string pacing = failure(curriculum_toml("adjustment_strategy = \"stars\""));
  EXPECT_NE(pacing.find("dual_loop"), std::string::npos) << pacing;
  EXPECT_NE(failure(curriculum_toml("start_complexity = 0.9")).find("start_complexity"), std::string::npos);
}

TEST(Curriculum, CombinedTakesEveryScorer) {
  CurriculumRun school("");
  school.toml = "[plugins.test_length_scorer]\nenabled = true\n[plugins.test_services]\nenabled = true\n"
                "[plugins.curriculum_dual_loop]\nenabled = true\ndifficulty_metric = \"combined\"\n"
                "weights = [\"length=1.0\", \"test_services=0.5\"]\n";
  school.spec.options.steps = 3;
  school.run();
  EXPECT_EQ(school.plans.size(), 3u);
}

TEST(Curriculum, DefaultsAreTheRequirements) {
  LoadedPlugins plugins("[plugins.curriculum_dual_loop]\nenabled = true\n", {SZ_PLUGINS}, {});
  const Config& config = plugins.config();
  const std::string at = "plugins.curriculum_dual_loop.";
  const std::map<std::string, double> numbers = {
      {"start_complexity", 0.3}, {"max_complexity", 0.7}, {"final_release", 0.1},  {"inner_low", 0.1},
      {"inner_high", 0.3},       {"inner_raise", 0.05},   {"inner_lower", 0.1},    {"review_fraction", 0.2},
      {"outer_factor", 0.1},     {"adversarial_fraction", 0.1}, {"instability_backoff", 0.05}};
  for (const auto& [key, value] : numbers) EXPECT_EQ(config.get_float(at + key), value) << key;
  const std::map<std::string, int64_t> counts = {
      {"warmup_epochs", 3}, {"inner_every", 2000}, {"smoothing_window", 3}, {"buckets", 10}};
  for (const auto& [key, value] : counts) EXPECT_EQ(config.get_int(at + key), value) << key;
  EXPECT_EQ(config.get_string(at + "difficulty_metric"), "tfidf");
  EXPECT_EQ(config.get_string(at + "adjustment_strategy"), "dual_loop");
  EXPECT_EQ(config.get_string(at + "inner_signal"), "batch");
}

TEST(Curriculum, CheckWarnsOfARunThatIsTooShort) {
  LoadedPlugins plugins("[train]\nepochs = 2\n" + curriculum_toml(""), {SZ_PLUGINS, SZ_TEST_PLUGINS},
                        {{"train.epochs", KeyType::kInt, "0", "epochs"}});
  const auto warnings_of = [&](const PluginHost::KnownRun& run) {
    return plugins.host().warnings(plugins.config(), run);
  };
  const auto warnings = warnings_of({1, 100, 200});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("plugin curriculum_dual_loop: the run ends after 180 steps"), std::string::npos)
      << warnings[0];
  EXPECT_EQ(warnings_of({1, 0, 0}).size(), 1u) << "2 epochs, a warm-up of 3";
  EXPECT_TRUE(warnings_of({1, 1000, 20000}).empty());
}

}  // namespace
}  // namespace sz::test
