// Flat buffers: order, alignment, tied and frozen parameters.
#include "train/flat_layout.h"

#include <gtest/gtest.h>

#include "model/services.h"

namespace sz::test {
namespace {

ModelDeclaration declared() {
  ModelOptions options{.type = "GPT-2", .layers = 1, .width = 6, .heads = 2, .context = 5, .vocabulary = 11};
  return make_gpt2()->declare(options, make_cross_entropy());
}

DtypePlan plan_of(const ModelDeclaration& model) {
  DtypePlan plan;
  plan.parameters.resize(model.parameters.size());
  plan.segments.resize(model.segments.size());
  return plan;
}

std::vector<std::string> names(const FlatLayout& layout) {
  std::vector<std::string> list;
  for (const FlatUnit& unit : layout.units) list.push_back(unit.name);
  return list;
}

TEST(FlatLayout, UnitsLieInTheOrderInWhichBackwardCompletesThem) {
  const ModelDeclaration model = declared();
  const FlatLayout layout = make_flat_layout(model, plan_of(model));
  // The token table is complete only after its first user, the last to run.
  EXPECT_EQ(names(layout), (std::vector<std::string>{"final_norm/no_decay", "block.0.mlp/decay", "block.0.mlp/no_decay",
                                                     "block.0.attention/decay", "block.0.attention/no_decay",
                                                     "embedding/decay", "embedding+loss/decay"}));
}

TEST(FlatLayout, EveryParameterIsThereOnceAndAligned) {
  const ModelDeclaration model = declared();
  const FlatLayout layout = make_flat_layout(model, plan_of(model));
  std::vector<int> owners(size_t(layout.numel), 0);
  int64_t elements = 0, begin = 0;
  for (const FlatUnit& unit : layout.units) {
    EXPECT_EQ(unit.begin, begin) << unit.name;
    EXPECT_EQ(unit.numel % FlatLayout::kAlign, 0) << unit.name;
    begin += unit.numel;
    for (size_t i = 0; i < unit.parameters.size(); ++i) {
      EXPECT_EQ(unit.offsets[i] % FlatLayout::kAlign, 0);
      const int64_t n = model.parameters[size_t(unit.parameters[i])].numel();
      EXPECT_LE(unit.offsets[i] + n, unit.numel);
      for (int64_t e = 0; e < n; ++e) ++owners[size_t(unit.begin + unit.offsets[i] + e)];
      elements += n;
    }
  }
  EXPECT_EQ(begin, layout.numel);
  EXPECT_EQ(elements, model.parameter_count());  // the tied table once
  for (const int owner : owners) ASSERT_LE(owner, 1);
  for (size_t p = 0; p < model.parameters.size(); ++p) {
    const FlatLayout::Place at = layout.places[p];
    EXPECT_EQ(layout.units[size_t(at.unit)].parameters[size_t(at.slot)], int(p));
  }
}

TEST(FlatLayout, FrozenUnitsComeLast) {
  ModelDeclaration model = declared();
  model.parameters[size_t(model.find_parameter("final_norm.weight"))].trainable = false;
  const FlatLayout layout = make_flat_layout(model, plan_of(model));
  EXPECT_EQ(layout.units.back().name, "final_norm/no_decay/frozen");
  EXPECT_EQ(layout.units.front().name, "final_norm/no_decay");  // its bias still trains
  EXPECT_EQ(layout.trainable_numel, layout.numel - layout.units.back().numel);
}

TEST(FlatLayout, AParameterWithoutASegmentIsFrozen) {
  ModelDeclaration model = declared();
  model.parameters.push_back({"spare", {7}, Role::kBias, Init::kZeros, 0, false, true});
  const FlatLayout layout = make_flat_layout(model, plan_of(model));
  EXPECT_EQ(layout.units.back().name, "unused/no_decay/frozen");
  EXPECT_FALSE(layout.units.back().trainable);
  EXPECT_EQ(layout.trainable_numel, layout.numel - layout.units.back().numel);
}

// One buffer for each dtype that gradients are summed in; trainable units lie in theirs one behind the other.
TEST(FlatLayout, GradientsLieWithTheirDtype) {
  const ModelDeclaration model = declared();
  DtypePlan plan = plan_of(model);
  for (size_t p = 0; p < model.parameters.size(); ++p) {
    if (model.parameters[p].role == Role::kMatrix) plan.parameters[p].accumulate = DType::kBF16;
  }
  const FlatLayout layout = make_flat_layout(model, plan);
  std::map<DType, int64_t> ends;
  for (const FlatUnit& unit : layout.units) {
    int64_t& end = ends[unit.dtypes.accumulate];
    EXPECT_EQ(unit.gradient_begin, end) << unit.name;
    end += unit.numel;
  }
  EXPECT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends, layout.gradient_numel);
}

TEST(FlatLayout, UnitsAreHomogeneousInDtypes) {
  const ModelDeclaration model = declared();
  DtypePlan plan = plan_of(model);
  plan.parameters[size_t(model.find_parameter("block.0.mlp.up.weight"))].compute = DType::kBF16;
  const FlatLayout layout = make_flat_layout(model, plan);
  int bf16 = 0;
  for (const FlatUnit& unit : layout.units) {
    for (const int p : unit.parameters) EXPECT_EQ(plan.parameters[size_t(p)].compute, unit.dtypes.compute);
    bf16 += unit.dtypes.compute == DType::kBF16;
  }
  EXPECT_EQ(bf16, 1);
  EXPECT_EQ(layout.units.size(), 8u);
}

}  // namespace
}  // namespace sz::test
