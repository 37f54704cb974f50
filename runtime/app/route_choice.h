// Which matrix route a run takes: the pinned or saved one, else the fastest on rank 0 among those that all ranks have.
#pragma once
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "ops/matrix_route.h"

namespace sz {

struct RouteWish {
  std::string pinned;               // run.matrix_route; empty: none
  std::string pinned_by;            // the key with its place in the configuration, for messages
  std::string saved;                // of the checkpoint that is resumed; empty: none
  std::vector<RouteSpeed> speeds;   // measured on rank 0 before MPI began; empty elsewhere
};

struct RouteChoice {
  std::string name;
  std::string cause;  // for the decision
};

// Collective on Channel::kData; the same on all ranks. Errors: Error(kUsage) for a pinned route that a rank lacks,
// naming the rank and what it has.
RouteChoice choose_matrix_route(const RouteWish& wish, Communicator& comm);

}  // namespace sz
