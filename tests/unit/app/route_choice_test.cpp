// Which matrix route a run takes: the same on all ranks, and after a resume the one it had.
#include "app/route_choice.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/text.h"

namespace sz {
namespace {

// Of two ranks; speeds are rank 0's alone.
std::vector<RouteChoice> choices(const RouteWish& wish) {
  std::vector<RouteChoice> found(2);
  run_thread_ranks(2, [&](Communicator& comm) {
    RouteWish own = wish;
    if (comm.rank() != 0) own.speeds.clear();
    found[size_t(comm.rank())] = choose_matrix_route(own, comm);
  });
  EXPECT_EQ(found[0].name, found[1].name);
  EXPECT_EQ(found[0].cause, found[1].cause);
  return found;
}

std::vector<RouteSpeed> speeds_with_fastest(const std::string& name) {
  std::vector<RouteSpeed> speeds;
  for (const std::string& route : available_matrix_routes()) {
    speeds.push_back({route, route == name ? 500.0 : 100.0, 1e-6, true, ""});
  }
  return speeds;
}

TEST(RouteChoice, TheFastestOfRankZeroIsEverybodys) {
  for (const std::string& route : available_matrix_routes()) {
    RouteWish wish;
    wish.speeds = speeds_with_fastest(route);
    wish.speeds.push_back({"abacus", 1e6, 1e-6, true, ""});  // no rank has it
    EXPECT_EQ(choices(wish)[1].name, route);
  }
}

TEST(RouteChoice, AResumedRunKeepsItsRoute) {
  const std::vector<std::string> routes = available_matrix_routes();
  RouteWish wish;
  wish.saved = routes.back();
  wish.speeds = speeds_with_fastest(routes.front());
  EXPECT_EQ(choices(wish)[0].name, routes.back());
  EXPECT_EQ(choices(wish)[0].cause, "saved in the checkpoint");
  wish.saved = "abacus";  // of another machine
  EXPECT_EQ(choices(wish)[0].name, routes.front());
}

TEST(RouteChoice, APinnedRouteWinsOrIsRefusedByRank) {
  const std::vector<std::string> routes = available_matrix_routes();
  RouteWish wish;
  wish.pinned = routes.front();
  wish.saved = routes.back();
  EXPECT_EQ(choices(wish)[0].cause, "run.matrix_route");
  wish.pinned = "abacus";
  wish.pinned_by = "run.toml:3:1: run.matrix_route";
  try {
    choices(wish);
    FAIL() << "took a route that there is not";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kUsage);
    EXPECT_EQ(std::string(error.what()), "run.toml:3:1: run.matrix_route: rank 0 has no route \"abacus\", only " +
                                             joined(routes) + "; leave the key out to have one measured");
  }
}

}  // namespace
}  // namespace sz
