#include "ops/matrix_route.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "ops/cpu_vendor.h"
#include "ops/matrix_probe.h"

namespace sz {
namespace {

TEST(MatrixRoute, TheFirstIsTheDefault) {
  const std::vector<std::string> names = available_matrix_routes();
  ASSERT_FALSE(names.empty());
  EXPECT_TRUE(names[0] == "mkl" || names[0] == "blas");
  EXPECT_EQ(fastest_matrix_route({}), names[0]);
}

TEST(MatrixRoute, FastestIsAmongTheUsable) {
  const std::vector<RouteSpeed> speeds{
      {"a", 100, 1e-6, true, ""}, {"b", 300, 1e-2, false, "not accurate"}, {"c", 200, 1e-6, true, ""}};
  EXPECT_EQ(fastest_matrix_route(speeds), "c");
  EXPECT_EQ(fastest_matrix_route({{"a", 100, 1e-6, true, ""}, {"b", 105, 1e-6, true, ""}}), "a");
}

TEST(MatrixRoute, UnknownNameListsThoseThereAre) {
  try {
    apply_matrix_route("abacus");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::kUsage);
    EXPECT_NE(std::string(e.what()).find(available_matrix_routes()[0]), std::string::npos) << e.what();
  }
}

TEST(MatrixRoute, ApplyIsRemembered) {
  const std::string before = current_matrix_route();
  for (const std::string& name : available_matrix_routes()) {
    apply_matrix_route(name);
    EXPECT_EQ(current_matrix_route(), name);
  }
  apply_matrix_route(before);
}

// The whole process must see this library's answer, LibTorch's copy of MKL included.
TEST(MatrixRoute, ExecutableAnswersMklsQuestion) {
  using Answer = int (*)();
  const auto answer = reinterpret_cast<Answer>(dlsym(RTLD_DEFAULT, "mkl_serv_intel_cpu_true"));
  ASSERT_NE(answer, nullptr);
  EXPECT_EQ(answer(), cpu_is_intel() ? 1 : 0);
  const std::vector<std::string> names = available_matrix_routes();
  if (std::find(names.begin(), names.end(), "mkl_fast") == names.end()) GTEST_SKIP() << "no mkl_fast here";
  apply_matrix_route("mkl_fast");
  EXPECT_EQ(answer(), 1);
  apply_matrix_route(names[0]);
  EXPECT_EQ(answer(), cpu_is_intel() ? 1 : 0);
}

TEST(MatrixRoute, MeasuresEachRoute) {
  const std::vector<RouteSpeed> speeds = measure_matrix_routes(1);
  ASSERT_EQ(speeds.size(), available_matrix_routes().size());
  for (const RouteSpeed& speed : speeds) {
    RecordProperty(speed.name, std::to_string(speed.gflops));
    if (!speed.usable) {
      EXPECT_FALSE(speed.note.empty());
      continue;
    }
    EXPECT_GT(speed.gflops, 0);
    EXPECT_LE(speed.max_error, 1e-4);
  }
  EXPECT_TRUE(speeds[0].usable) << speeds[0].note;
}

TEST(MatrixProbe, ACrashOrAnExceptionInTheChildIsReported) {
  EXPECT_NE(probe_in_child([] { std::abort(); }, 1).failure.find("signal"), std::string::npos);
  EXPECT_FALSE(probe_in_child([] { throw Error(Exit::kInternal, "no"); }, 1).failure.empty());
  EXPECT_FALSE(probe_in_child([] { std::_Exit(0); }, 1).failure.empty());
}

}  // namespace
}  // namespace sz
