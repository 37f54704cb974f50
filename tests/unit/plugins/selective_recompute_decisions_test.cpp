// What plugins/selective_recompute chooses and reports in whole runs.
#include <gmock/gmock.h>

#include <mutex>
#include <set>

#include "unit/plugins/recompute_run.h"

namespace sz::test {
namespace {

using testing::HasSubstr;

const std::string kBlocks[] = {"block.0.attention", "block.0.mlp", "block.1.attention", "block.1.mlp"};

// --- one line a segment, one a kind ----------------------------------------------------------------------------------

struct Case {
  std::string keys;
  std::map<std::string, std::string> to;  // by segment, where it isn't "kept"
  std::set<std::string> measured;         // kinds
  Arithmetic arithmetic = kFp32;
  bool in_chunks = false;
};

std::map<std::string, std::string> marked(const std::string& to, const std::vector<std::string>& segments) {
  std::map<std::string, std::string> result;
  for (const std::string& name : segments) result[name] = to;
  return result;
}

std::vector<Case> cases(const std::string& folder) {
  const auto everything = marked("recomputed", {"embedding", kBlocks[0], kBlocks[1], kBlocks[2], kBlocks[3], "final_norm"});
  const auto second = marked("recomputed", {kBlocks[1], kBlocks[3]});
  const std::set<std::string> kinds = {"embedding", "block.#.attention", "block.#.mlp", "final_norm"};
  const std::set<std::string> mlp = {"block.#.mlp"}, both = {"block.#.attention", "block.#.mlp"};
  return {{"", second, mlp},
          {"policy = \"all\"", everything, kinds},
          {"policy = \"every_n\"", marked("recomputed", {kBlocks[0], kBlocks[1]}), both},
          {"policy = \"list\"\nsegments = [\"*.1.attention\", \"final_norm\"]",
           marked("recomputed", {kBlocks[2], "final_norm"}), {"block.#.attention", "final_norm"}},
          {"policy = \"cheap\"", marked("cheap", {kBlocks[0], kBlocks[1], kBlocks[2], kBlocks[3]}), both},
          {"policy = \"budget\"\nmemory_mb = 100.0", everything, kinds},
          {"slices = 2", second, mlp, kFp32, true},
          {"policy = \"all\"\noffload = \"host\"\noffload_path = \"" + folder + "\"", everything, kinds},
          {"policy = \"all\"", everything, kinds, {"O2", false, false, "opt_level = \"O2\""}},
          {"policy = \"cheap\"", marked("cheap", {kBlocks[0], kBlocks[1], kBlocks[2], kBlocks[3]}), both,
           {"O1", false, false, "opt_level = \"O1\""}}};
}

void expect_start(const nlohmann::json& line, const Case& c) {
  const std::string segment = line.at("segment"), text = line.at("text_en");
  SCOPED_TRACE(segment);
  const auto found = c.to.find(segment);
  const bool kept = found == c.to.end();
  EXPECT_EQ(line.at("to"), kept ? "kept" : found->second);
  const bool named = c.keys.find("policy") != std::string::npos;
  EXPECT_EQ(line.at("cause") == "policy after_first_dropout", !named);
  EXPECT_EQ(line.at("expected_cost_percent").get<double>() > 0, !kept);
  // An embedding holds nothing besides its output.
  EXPECT_EQ(line.at("expected_given_back_bytes").get<int64_t>() > 0, !kept && segment != "embedding");
  EXPECT_EQ(text.find("should give back about") != std::string::npos, !kept) << text;
  if (c.keys.find("offload") == std::string::npos) {
    EXPECT_GT(line.at("held_bytes").get<int64_t>(), 0);
  } else if (segment == kBlocks[0]) {
    EXPECT_EQ(line.at("held_bytes").get<int64_t>(), 0) << "its output is in the file";
  }
}

void expect_measured(const nlohmann::json& line, const Case& c) {
  const std::string kind = line.at("kind");
  SCOPED_TRACE(kind);
  EXPECT_EQ(line.at("to"), c.keys.find("cheap") != std::string::npos ? "cheap" : "recomputed");
  const int64_t given_back = line.at("given_back_bytes");
  EXPECT_GE(given_back, kind == "embedding" ? 0 : 1);
  EXPECT_GE(line.at("cost_microseconds").get<double>(), 0);
  EXPECT_GE(line.at("cost_percent").get<double>(), 0);
  EXPECT_GT(line.at("expected_cost_percent").get<double>(), 0);
  EXPECT_EQ(line.at("in_chunks").get<bool>(), c.in_chunks);
  EXPECT_GT(line.at("segments").get<int>(), 0);
}

TEST(RecomputeDecisions, EachSegmentAtStartAndWhatWasMeasured) {
  const TemporaryFolder folder;
  for (const Case& c : cases(folder.path())) {
    SCOPED_TRACE(c.keys + " in " + c.arithmetic.name);
    RunSpec spec;
    spec.options.steps = 12;
    const auto lines = decisions_with(c.arithmetic, spec, c.keys);
    std::vector<nlohmann::json> start;
    for (const auto& line : of_kind(lines, "activations")) {
      if (line.at("cause") != "budget") start.push_back(line);
    }
    ASSERT_EQ(start.size(), 7u);
    for (const auto& line : start) expect_start(line, c);
    std::set<std::string> kinds;
    for (const auto& line : of_kind(lines, "activations_measured")) {
      expect_measured(line, c);
      kinds.insert(line.at("kind"));
    }
    EXPECT_EQ(kinds, c.measured);
  }
}

// --- what shapes tell ------------------------------------------------------------------------------------------------

class Shapes : public testing::TestWithParam<Arithmetic> {};

TEST_P(Shapes, TellWhatIsGivenBack) {
  RunSpec spec = large_spec();
  fill_rows(spec);
  spec.options.steps = 12;
  for (const char* policy : {"all", "cheap"}) {
    const auto lines = decisions_with(GetParam(), spec, std::string("policy = \"") + policy + "\"");
    std::map<std::string, double> expected;
    for (const auto& line : of_kind(lines, "activations")) {
      expected[line.at("segment")] = line.at("expected_given_back_bytes");
    }
    const auto measured = of_kind(lines, "activations_measured");
    ASSERT_EQ(measured.size(), policy == std::string("all") ? 4u : 2u);
    for (const auto& line : measured) {
      const std::string kind = line.at("kind");
      const std::string segment = kind.substr(0, 5) == "block" ? "block.0" + kind.substr(7) : kind;
      const double guess = expected.at(segment), seen = line.at("given_back_bytes");
      EXPECT_NEAR(seen, guess, 0.1 * guess + 64) << kind << ", " << policy;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(RecomputeDecisions, Shapes, testing::ValuesIn(all_arithmetics()),
                         [](const auto& info) { return info.param.name; });

// --- budget ----------------------------------------------------------------------------------------------------------

// Segments run again after the choice, by rank; decisions go to `path`.
std::vector<std::shared_ptr<Counts>> run_with_budget(RunSpec spec, const std::string& memory_mb, const std::string& path) {
  std::mutex mutex;
  std::vector<std::shared_ptr<Counts>> counts(size_t(spec.ranks));
  spec.options.steps = 16;
  const RunResult off = train(spec);
  spec.prepare = [&](RankParts& parts) {
    const std::lock_guard lock(mutex);
    auto own = std::make_shared<Counts>();
    counts[size_t(parts.rank())] = own;
    count(parts, *own);
    watch(parts, {Hook::kStepBegin}, [own](const HookInfo& at) {
      if (at.attempt == 13) own->clear();
    });
  };
  expect_same_run(train_with(spec, recompute("policy = \"budget\"\nmemory_mb = " + memory_mb), path), off);
  return counts;
}

int run_again(const Counts& counts) {
  int again = 0;
  for (const auto& [what, number] : counts) again += what.second == Mode::kRecompute;
  return again;
}

// All 14 segments but the loss begin as recomputed, and the choice is to keep them: a rank that did not hear of it would
// go on running them again.
TEST(RecomputeBudget, AllRanksTakeRankZerosChoice) {
  const TemporaryFolder folder;
  RunSpec spec = large_spec();
  spec.ranks = 2;
  const auto counts = run_with_budget(spec, "1000.0", folder / "decisions.jsonl");
  EXPECT_EQ(run_again(*counts[0]), 0);
  EXPECT_EQ(run_again(*counts[1]), 0);
  EXPECT_EQ(*counts[0], *counts[1]);
  const auto lines = json_lines(folder / "decisions.jsonl");
  ASSERT_EQ(of_kind(lines, "budget").size(), 1u);
  EXPECT_EQ(of_kind(lines, "budget")[0].at("kept"), 15);
  std::set<std::string> changed;
  for (const auto& line : of_kind(lines, "activations")) {
    if (line.at("cause") != "budget") continue;
    changed.insert(line.at("segment"));
    EXPECT_EQ(line.at("from"), "recomputed");
    EXPECT_EQ(line.at("to"), "kept");
    EXPECT_EQ(line.at("cost_microseconds").get<double>(), 0);
    EXPECT_TRUE(line.contains("held_bytes"));
  }
  EXPECT_EQ(changed.size(), 14u);
}

// On one rank: the bytes are measured by the process's allocator, which ranks that are threads share.
TEST(RecomputeBudget, IsMetByRunningSomeAgain) {
  const TemporaryFolder folder;
  const auto counts = run_with_budget(large_spec(), "2.0", folder / "decisions.jsonl");
  const auto lines = json_lines(folder / "decisions.jsonl");
  const auto budget = of_kind(lines, "budget");
  ASSERT_EQ(budget.size(), 1u);
  EXPECT_TRUE(budget[0].at("fits").get<bool>());
  EXPECT_LE(budget[0].at("held_bytes").get<int64_t>(), 2 << 20);
  const int again = run_again(*counts[0]), recomputed = budget[0].at("recomputed");
  EXPECT_EQ(again, recomputed);
  EXPECT_LT(again, 14);
  EXPECT_LT(budget[0].at("kept").get<int>(), 15) << "2 MiB are less than everything";
  // Each of those that are no longer recomputed says so, with what it holds at its new level.
  int changed = 0;
  for (const auto& line : of_kind(lines, "activations")) {
    if (line.at("cause") != "budget") continue;
    ++changed;
    EXPECT_EQ(line.at("from"), "recomputed");
    const std::string to = line.at("to"), segment = line.at("segment");
    EXPECT_TRUE(to == "kept" || to == "cheap") << to;
    EXPECT_GT(line.at("held_bytes").get<int64_t>(), 0) << segment;
    EXPECT_GE(line.at("cost_microseconds").get<double>(), 0) << segment;
    EXPECT_THAT(line.at("text_en").get<std::string>(), HasSubstr("(budget): holds"));
  }
  EXPECT_EQ(changed, 14 - recomputed);
}

TEST(RecomputeBudget, OneThatCannotBeMetSaysSo) {
  RunSpec spec;
  const auto budget = of_kind(decisions_with(kFp32, spec, "policy = \"budget\"\nmemory_mb = 0.001"), "budget");
  ASSERT_EQ(budget.size(), 1u);
  EXPECT_FALSE(budget[0].at("fits").get<bool>());
  EXPECT_EQ(budget[0].at("recomputed"), 5) << "all but the loss, and the embedding, which would give nothing back";
}

}  // namespace
}  // namespace sz::test
