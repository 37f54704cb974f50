// Whole parameters from shards: on demand, ahead of time, and after an update. Thread: main.
#pragma once
#include <deque>

#include "unit.h"
#include "waits.h"

namespace zero3 {

class Gathers {
 public:
  struct Options {
    bool verify = false;  // compare what the ranks gathered
  };
  Gathers(sz::Host host, Options options) : comm_(host), options_(options) {}

  // Posts the gather of a sharded unit that is away; arrive() waits for it.
  void fetch(Unit& unit);
  void arrive(Unit& unit);
  void drop(Unit& unit);  // lets the whole parameters go, waiting first where they are on their way

  // Posts the gather of a unit that is held whole, from the shards that ranks have changed; finish_refresh() waits.
  void refresh(Unit& unit);
  void finish_refresh();

  // Every rank's hash of the order in which it ran through the segments. Errors: Error(SZ_COMM_LOST) naming two ranks
  // and the first segment that differs.
  void compare_orders(const std::vector<int>& pass, uint64_t hash, const std::vector<std::string>& names);
  // Whether all ranks say yes.
  bool all_agree(bool yes);

  Waits waits;

 private:
  void check_bytes(const Unit& unit);
  std::vector<uint64_t> from_all(uint64_t value);

  sz::Comm comm_;
  Options options_;
  struct Refresh {
    Unit* unit;
    sz::Work work;
  };
  std::deque<Refresh> refreshing_;
};

}  // namespace zero3
