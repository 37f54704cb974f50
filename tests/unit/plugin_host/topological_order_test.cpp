#include "plugin_host/topological_order.h"

#include <gtest/gtest.h>

namespace sz {
namespace {

using Names = std::vector<std::string>;

TEST(TopologicalOrder, TiesAreBrokenByName) {
  EXPECT_EQ(topological_order({"c", "a", "b"}, {}).order, (Names{"a", "b", "c"}));
}

TEST(TopologicalOrder, EdgesHoldAndTiesStayByName) {
  const TopologicalOrder result = topological_order({"a", "b", "c", "d"}, {{"d", "a"}, {"c", "b"}});
  EXPECT_EQ(result.order, (Names{"c", "b", "d", "a"}));
  EXPECT_TRUE(result.cycle.empty());
}

TEST(TopologicalOrder, EdgesToAbsentNamesAreLeftOut) {
  EXPECT_EQ(topological_order({"a", "b"}, {{"b", "x"}, {"x", "a"}}).order, (Names{"a", "b"}));
}

TEST(TopologicalOrder, CycleNamesItsMembersOnly) {
  const TopologicalOrder result =
      topological_order({"a", "b", "c", "d", "e"}, {{"b", "d"}, {"d", "c"}, {"c", "b"}, {"b", "e"}});
  EXPECT_EQ(result.order, (Names{"a"}));
  EXPECT_EQ(result.cycle, (Names{"b", "d", "c"}));
}

TEST(TopologicalOrder, NameBeforeItselfIsACycle) {
  EXPECT_EQ(topological_order({"a"}, {{"a", "a"}}).cycle, (Names{"a"}));
}

}  // namespace
}  // namespace sz
