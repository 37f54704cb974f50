// Whole runs with plugins/selective_recompute on and off are the same bits, in every arithmetic.
#include <cstring>

#include "unit/plugins/recompute_run.h"

namespace sz::test {
namespace {

class Exact : public testing::TestWithParam<Arithmetic> {
 protected:
  static RunSpec spec() {
    RunSpec spec;
    spec.options.accumulation = 2;
    return spec;
  }
  static RunResult run(const RunSpec& spec, const std::string& plugins, const std::string& decisions = "") {
    return train_in(GetParam(), spec, plugins, decisions);
  }
  std::string offload() const { return "\noffload = \"host\"\noffload_path = \"" + folder_.path() + "\""; }

 private:
  const TemporaryFolder folder_;
};

const std::vector<std::string> kPolicies = {
    "policy = \"after_first_dropout\"", "policy = \"all\"", "policy = \"every_n\"\nevery = 2",
    "policy = \"list\"\nsegments = [\"*.attention\", \"final_norm\"]", "policy = \"cheap\""};

TEST_P(Exact, EveryPolicyGivesTheSameBitsFor20Steps) {
  const RunResult off = run(spec(), "");
  ASSERT_EQ(off.outcome.state.step, 20);
  for (const nlohmann::json& line : with(off.metrics, "loss")) ASSERT_TRUE(line.at("loss").is_number());
  for (const std::string& keys : kPolicies) {
    SCOPED_TRACE(keys);
    expect_same_run(run(spec(), recompute(keys)), off);
    if (HasFatalFailure()) return;
  }
  expect_same_run(run(spec(), recompute("policy = \"off\"")), off);
}

TEST_P(Exact, WithBoundariesPutAway) {
  const RunResult off = run(spec(), "");
  for (const std::string& keys : kPolicies) {
    SCOPED_TRACE(keys);
    expect_same_run(run(spec(), recompute(keys + offload())), off);
    if (HasFatalFailure()) return;
  }
}

// Half way, in MiB, between what the segments hold when each keeps its inputs and when each keeps all.
double mixing_budget(const Arithmetic& arithmetic, RunSpec spec, const std::string& more) {
  spec.options.steps = 11;  // the choice is made
  double held = 0;
  for (const char* mb : {"0.0001", "1000.0"}) {
    const auto lines = decisions_with(arithmetic, spec, std::string("policy = \"budget\"\nmemory_mb = ") + mb + more);
    const auto budget = of_kind(lines, "budget");
    EXPECT_EQ(budget.size(), 1u);
    if (budget.size() == 1) held += budget[0].at("held_bytes").get<double>() / 2;
  }
  return held / (1 << 20);
}

TEST_P(Exact, ABudgetThatMixesLevels) {
  const RunResult off = run(spec(), "");
  for (const std::string& more : {std::string(), offload()}) {
    SCOPED_TRACE(more);
    const TemporaryFolder folder;
    const std::string path = folder / "decisions.jsonl";
    const double mb = mixing_budget(GetParam(), spec(), more);
    ASSERT_GT(mb, 0);
    const std::string keys = "policy = \"budget\"\nmemory_mb = " + std::to_string(mb) + more;
    expect_same_run(run(spec(), recompute(keys), path), off);
    const auto budget = of_kind(json_lines(path), "budget");
    ASSERT_EQ(budget.size(), 1u);
    EXPECT_TRUE(budget[0].at("fits").get<bool>());
    const auto segments = [&](const char* level) { return budget[0].at(level).get<int>(); };
    EXPECT_GT(segments("kept") - 1, 0) << "besides the loss";
    EXPECT_GT(segments("cheap") + segments("recomputed"), 0);
  }
}

TEST_P(Exact, SegmentsWithoutAHandWrittenBackward) {
  RunSpec of = spec();
  of.prepare = differentiate_by_autograd;
  const RunResult off = run(of, "");
  for (const std::string& keys : kPolicies) {
    SCOPED_TRACE(keys);
    expect_same_run(run(of, recompute(keys)), off);
    if (HasFatalFailure()) return;
  }
  expect_same_run(run(of, recompute("policy = \"all\"" + offload())), off);
}

// --- frozen parameters ----------------------------------------------------------------------------------------------

// A whole segment between others that train, and a single matrix.
bool in_the_middle(const std::string& name) {
  return name.find("block.1.mlp") == 0 || name == "block.0.attention.qkv.weight";
}
// Its gradient has to come through all the frozen segments behind it.
bool all_but_one(const std::string& name) { return name != "block.0.attention.norm.weight"; }

struct FrozenCase {
  bool (*frozen)(const std::string&);
  bool autograd;
};

RunSpec frozen_spec(RunSpec spec, const FrozenCase& c, Arrays& start) {
  spec.prepare = [c, &start](RankParts& parts) {
    for (ParameterDeclaration& p : parts.model.parameters) {
      if (c.frozen(p.name)) p.trainable = false;
    }
    if (c.autograd) differentiate_by_autograd(parts);
    watch(parts, {Hook::kStepBegin}, [&](const HookInfo& at) {
      if (at.attempt == 1) export_into(*parts.residency, start);
    });
  };
  return spec;
}

// Frozen ones are what they were, and each of the others got a gradient.
void expect_only_others_moved(const Arrays& start, const Arrays& end, bool (*frozen)(const std::string&)) {
  const std::string suffix = "/master";
  int seen = 0;
  for (const auto& [array, values] : start) {
    if (array.size() <= suffix.size() || array.substr(array.size() - suffix.size()) != suffix) continue;
    const std::string name = array.substr(0, array.size() - suffix.size());
    const bool same = std::memcmp(values.data(), end.at(array).data(), values.size() * sizeof(float)) == 0;
    EXPECT_EQ(same, frozen(name)) << name;
    ++seen;
  }
  EXPECT_EQ(seen, 28);  // of the model
}

TEST_P(Exact, FrozenParametersStayAndTheOthersAreTheSame) {
  for (const FrozenCase& c : {FrozenCase{in_the_middle, false}, FrozenCase{in_the_middle, true},
                              FrozenCase{all_but_one, false}, FrozenCase{all_but_one, true}}) {
    SCOPED_TRACE(std::string(c.frozen == all_but_one ? "all but one" : "in the middle") + (c.autograd ? ", autograd" : ""));
    Arrays start;
    const RunSpec of = frozen_spec(spec(), c, start);
    const RunResult off = run(of, "");
    expect_only_others_moved(start, off.arrays, c.frozen);
    for (const std::string& keys : {kPolicies[0], kPolicies[1], kPolicies[4], kPolicies[1] + offload()}) {
      SCOPED_TRACE(keys);
      expect_same_run(run(of, recompute(keys)), off);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Recompute, UnderAmpO2OnTwoRanks) {
  for (const char* level : {"opt_level = \"O2\"", "opt_level = \"O1\""}) {
    AmpRun amp;
    amp.keys = level;
    const RunResult off = train_amp(amp).run;
    for (const char* policy : {"all", "cheap"}) {
      SCOPED_TRACE(std::string(level) + policy);
      amp.more = recompute_policy(policy);
      expect_same_run(train_amp(amp).run, off);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Recompute, Exact, testing::ValuesIn(all_arithmetics()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sz::test
