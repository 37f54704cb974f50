#include "app/route_choice.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/format.h"
#include "base/text.h"

namespace sz {
namespace {

constexpr size_t kNameBytes = 256;

// Every rank's list of routes, comma-separated, by rank.
std::vector<std::string> lists_of_all(Communicator& comm) {
  std::string own = joined(available_matrix_routes());
  SZ_ASSERT(own.size() < kNameBytes);
  own.resize(kNameBytes, '\0');
  std::string all(kNameBytes * size_t(comm.size()), '\0');
  comm.all_gather(Channel::kData, own.data(), all.data(), kNameBytes)->wait();
  std::vector<std::string> lists;
  for (int r = 0; r < comm.size(); ++r) lists.push_back(std::string(all.data() + kNameBytes * size_t(r)));
  return lists;
}

int rank_without(const std::string& route, const std::vector<std::string>& lists) {
  for (size_t r = 0; r < lists.size(); ++r) {
    if ((", " + lists[r] + ", ").find(", " + route + ", ") == std::string::npos) return int(r);
  }
  return -1;
}

std::string speeds_text(const std::vector<RouteSpeed>& speeds) {
  std::string text;
  for (const RouteSpeed& speed : speeds) {
    text += (text.empty() ? "" : ", ") + speed.name + " " +
            (speed.usable ? format("%.0f GFLOP/s", speed.gflops) : "not usable: " + speed.note);
  }
  return text;
}

RouteChoice fastest_of_rank_0(const RouteWish& wish, const std::vector<std::string>& lists) {
  std::vector<RouteSpeed> common;
  for (const RouteSpeed& speed : wish.speeds) {
    if (rank_without(speed.name, lists) < 0) common.push_back(speed);
  }
  return {fastest_matrix_route(common), "measured: " + speeds_text(common)};
}

}  // namespace

RouteChoice choose_matrix_route(const RouteWish& wish, Communicator& comm) {
  const std::vector<std::string> lists = lists_of_all(comm);
  if (!wish.pinned.empty()) {
    const int rank = rank_without(wish.pinned, lists);
    if (rank < 0) return {wish.pinned, "run.matrix_route"};
    throw Error(Exit::kUsage, wish.pinned_by + ": rank " + std::to_string(rank) + " has no route \"" + wish.pinned +
                                  "\", only " + lists[size_t(rank)] + "; leave the key out to have one measured");
  }
  if (!wish.saved.empty() && rank_without(wish.saved, lists) < 0) return {wish.saved, "saved in the checkpoint"};
  RouteChoice choice;
  if (comm.rank() == 0) choice = fastest_of_rank_0(wish, lists);
  std::string both = choice.name + '\n' + choice.cause;
  both.resize(4 * kNameBytes, '\0');
  comm.broadcast(Channel::kData, both.data(), both.size(), 0)->wait();
  const std::string text(both.c_str());
  const size_t cut = text.find('\n');
  return {text.substr(0, cut), text.substr(cut + 1)};
}

}  // namespace sz
