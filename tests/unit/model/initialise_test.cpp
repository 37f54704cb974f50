// Initial values: of (seed, name, element) alone, and normally distributed.
#include "model/initialise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sz::test {
namespace {

ParameterDeclaration matrix(const std::string& name, double std = 0.02) {
  ParameterDeclaration parameter;
  parameter.name = name;
  parameter.shape = {301, 333};
  parameter.init_std = std;
  return parameter;
}

std::vector<float> stretch(const ParameterDeclaration& parameter, uint64_t seed, int64_t begin, int64_t end) {
  std::vector<float> values(static_cast<size_t>(end - begin), -1.0f);
  initialise(parameter, seed, begin, end, values.data());
  return values;
}

TEST(Initialise, AnyStretchEqualsThatOfTheWhole) {
  const ParameterDeclaration parameter = matrix("block.0.mlp.up.weight");
  const std::vector<float> whole = stretch(parameter, 1, 0, parameter.numel());
  for (const auto& [begin, end] : std::vector<std::pair<int64_t, int64_t>>{
           {0, 1}, {1, 2}, {3, 9}, {4, 8}, {1000, 1000}, {777, 5001}, {100000, parameter.numel()}}) {
    EXPECT_EQ(stretch(parameter, 1, begin, end), std::vector<float>(whole.begin() + begin, whole.begin() + end))
        << begin << " .. " << end;
  }
}

TEST(Initialise, DependsOnSeedAndNameAlone) {
  ParameterDeclaration other_shape = matrix("a");
  other_shape.shape = {301 * 333};
  other_shape.role = Role::kEmbedding;
  EXPECT_EQ(stretch(matrix("a"), 1, 0, 100), stretch(other_shape, 1, 0, 100));
  EXPECT_NE(stretch(matrix("a"), 1, 0, 100), stretch(matrix("b"), 1, 0, 100));
  EXPECT_NE(stretch(matrix("a"), 1, 0, 100), stretch(matrix("a"), 2, 0, 100));
}

TEST(Initialise, IsNormal) {
  const ParameterDeclaration parameter = matrix("w", 0.5);
  const auto n = double(parameter.numel());
  double sum = 0, squares = 0, fourth = 0, neighbours = 0;
  float before = 0;
  int64_t beyond = 0;  // of two standard deviations
  for (const float v : stretch(parameter, 1, 0, parameter.numel())) {
    sum += v;
    squares += double(v) * v;
    fourth += std::pow(double(v), 4);
    neighbours += double(v) * before;
    before = v;
    beyond += std::abs(v) > 1.0f;
  }
  const double variance = squares / n;
  EXPECT_NEAR(sum / n, 0, 4 * 0.5 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(variance), 0.5, 0.005);
  EXPECT_NEAR(fourth / n / (variance * variance), 3, 0.1);
  EXPECT_NEAR(neighbours / n / variance, 0, 4 / std::sqrt(n));
  EXPECT_NEAR(double(beyond) / n, 0.0455, 0.003);
}

TEST(Initialise, ConstantsAreConstant) {
  ParameterDeclaration parameter = matrix("w");
  parameter.init = Init::kOnes;
  EXPECT_EQ(stretch(parameter, 1, 5, 9), std::vector<float>(4, 1.0f));
  parameter.init = Init::kZeros;
  EXPECT_EQ(stretch(parameter, 1, 5, 9), std::vector<float>(4, 0.0f));
}

}  // namespace
}  // namespace sz::test
