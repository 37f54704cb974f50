// Clipping by the true global norm.
#include <gtest/gtest.h>

#include <cmath>

#include "unit/train/training.h"

namespace sz::test {
namespace {

// After one step from zero, Adam's first moment is (1 - beta1) x the clipped gradient.
double first_moment_norm(const RunResult& result) {
  double sum = 0;
  for (const auto& [name, values] : result.arrays) {
    if (name.find("/exp_avg") == std::string::npos || name.find("_sq") != std::string::npos) continue;
    for (const float v : values) sum += double(v) * v;
  }
  return std::sqrt(sum);
}

TEST(Clipping, TheGlobalNormIsCutToTheLimit) {
  RunSpec spec;
  spec.ranks = 2;
  spec.options.steps = 1;
  const RunResult whole = train(spec);
  const double norm = whole.metrics[0].at("grad_norm");
  EXPECT_NEAR(first_moment_norm(whole), 0.1 * norm, 1e-6 * norm);
  EXPECT_EQ(whole.metrics[0].at("clip"), 1.0);

  spec.options.grad_clip = norm / 2;
  const RunResult clipped = train(spec);
  EXPECT_EQ(clipped.metrics[0].at("grad_norm"), norm);  // the true one
  EXPECT_NEAR(clipped.metrics[0].at("clip").get<double>(), 0.5, 1e-12);
  EXPECT_NEAR(first_moment_norm(clipped), 0.1 * norm / 2, 1e-6 * norm);

  spec.options.grad_clip = norm * 2;
  expect_identical(whole.arrays, train(spec).arrays);
}

// A loss scale is taken out again: norm, limit and update are those of the unscaled gradient.
TEST(Clipping, TheLossScaleIsTakenOut) {
  struct Scaled final : Precision {
    std::unique_ptr<Precision> inner = make_default_precision({});
    std::string name() const override { return "scaled"; }
    DtypePlan plan(const ModelDeclaration& model) override { return inner->plan(model); }
    double scale() const override { return 1024; }
    Vote judge(const StepFacts& facts) override { return inner->judge(facts); }
  };
  RunSpec spec;
  spec.options.steps = 5;
  spec.options.grad_clip = 0.5;
  const RunResult plain = train(spec);
  spec.prepare = [](RankParts& parts) { parts.precision = std::make_unique<Scaled>(); };
  const RunResult scaled = train(spec);
  EXPECT_EQ(scaled.metrics[0].at("scale"), 1024.0);
  EXPECT_EQ(plain.metrics[0].at("grad_norm"), scaled.metrics[0].at("grad_norm"));  // a power of two
  EXPECT_EQ(plain.metrics[0].at("loss"), scaled.metrics[0].at("loss"));
  EXPECT_LE(relative_difference(plain.arrays, scaled.arrays), 1e-6);
}

}  // namespace
}  // namespace sz::test
