#include "app/environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/cpu.h"

namespace sz {
namespace {

// For the life of the object. nullptr: not set.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const text = std::getenv(name)) before_ = text;
    value ? ::setenv(name, value, 1) : ::unsetenv(name);
  }
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

LaunchInfo two_ranks() {
  LaunchInfo launch;
  launch.ranks = 2;
  return launch;
}

TEST(Environment, ARankHasItsShareOfTheCoresAndTheHostHasAll) {
  const Variable threads("OMP_NUM_THREADS", nullptr), local("OMPI_COMM_WORLD_LOCAL_SIZE", nullptr);
  EXPECT_EQ(threads_of_rank(0, {}), cpu().cores);
  EXPECT_EQ(threads_of_host(0, {}), cpu().cores);
  EXPECT_EQ(threads_of_rank(0, two_ranks()), std::max(1, cpu().cores / 2));
  EXPECT_EQ(threads_of_host(0, two_ranks()), 2 * std::max(1, cpu().cores / 2));
}

TEST(Environment, WhatIsAskedForComesFirstThenOpenMpsVariable) {
  const Variable threads("OMP_NUM_THREADS", "3"), local("OMPI_COMM_WORLD_LOCAL_SIZE", nullptr);
  EXPECT_EQ(threads_of_rank(0, two_ranks()), 3);
  EXPECT_EQ(threads_of_rank(5, two_ranks()), 5);
  EXPECT_EQ(threads_of_host(0, two_ranks()), 6);
  EXPECT_EQ(threads_of_host(5, two_ranks()), 10);
}

TEST(Environment, OnlyTheRanksOfThisHostShareIt) {
  const Variable threads("OMP_NUM_THREADS", "1"), local("OMPI_COMM_WORLD_LOCAL_SIZE", "1");
  EXPECT_EQ(threads_of_host(0, two_ranks()), 1);
}

}  // namespace
}  // namespace sz
