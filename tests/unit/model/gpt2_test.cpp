// What GPT-2 declares.
#include <ATen/TensorOperators.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/error.h"
#include "model/services.h"

namespace sz::test {
namespace {

ModelOptions options() {
  return {.type = "GPT-2", .layers = 3, .width = 16, .heads = 4, .context = 10, .vocabulary = 50, .dropout = 0.1};
}

TEST(Gpt2, DeclaresItsParametersAndSegments) {
  const ModelDeclaration model = make_gpt2()->declare(options(), make_cross_entropy());
  std::vector<std::string> segments;
  for (const SegmentDeclaration& segment : model.segments) segments.push_back(segment.name);
  EXPECT_EQ(segments, (std::vector<std::string>{"embedding", "block.0.attention", "block.0.mlp", "block.1.attention",
                                                "block.1.mlp", "block.2.attention", "block.2.mlp", "final_norm",
                                                "loss"}));
  // 12 width^2 + 13 width a block, two tables, the last norm.
  EXPECT_EQ(model.parameter_count(), 3 * (12 * 16 * 16 + 13 * 16) + (50 + 10) * 16 + 2 * 16);
  std::set<std::string> names;
  for (const ParameterDeclaration& parameter : model.parameters) names.insert(parameter.name);
  EXPECT_EQ(names.size(), model.parameters.size());
  EXPECT_EQ(model.find_parameter("block.1.mlp.up.weight") >= 0, true);
  EXPECT_EQ(model.find_parameter("block.3.mlp.up.weight"), -1);
}

TEST(Gpt2, TiesTheEmbeddingAndDecaysMatricesAlone) {
  const ModelDeclaration model = make_gpt2()->declare(options(), make_cross_entropy());
  const int table = model.find_parameter("embedding.token");
  EXPECT_EQ(model.segments.front().parameters[0], table);
  EXPECT_EQ(model.segments.back().parameters, std::vector<int>{table});
  EXPECT_EQ(model.head.parameters, std::vector<int>{table});
  for (const ParameterDeclaration& parameter : model.parameters) {
    EXPECT_EQ(parameter.decay, parameter.shape.size() == 2) << parameter.name;
    if (parameter.name.find("projection.weight") != std::string::npos ||
        parameter.name.find("down.weight") != std::string::npos) {
      EXPECT_DOUBLE_EQ(parameter.init_std, 0.02 / std::sqrt(6.0)) << parameter.name;
    }
  }
}

TEST(Gpt2, RefusesHeadsThatDoNotDivideTheWidth) {
  ModelOptions wrong = options();
  wrong.heads = 3;
  try {
    make_gpt2()->declare(wrong, make_cross_entropy());
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::kUsage);
    EXPECT_NE(std::string(e.what()).find("model.heads"), std::string::npos);
  }
}

}  // namespace
}  // namespace sz::test
