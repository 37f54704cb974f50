// Whole parameters from shards: on demand, ahead of time, and after an update. Thread: main.
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <vector>

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

  // This rank's order has just changed. Told to the others without waiting: a rank that does not follow meets it with
  // another operation, or with its own hash in compare_orders(), instead of waiting for what never comes.
  void announce_change(uint64_t hash);
  // At the end of a step: every rank's hash of the order in which it ran through the segments, announced changes
  // first. Errors: Error(SZ_COMM_LOST) naming two ranks and the first segment that differs.
  void compare_orders(const std::vector<int>& pass, uint64_t hash, const std::vector<std::string>& names);
  // Whether all ranks say yes.
  bool all_agree(bool yes);

  Waits waits;

 private:
  void check_bytes(const Unit& unit);
  std::vector<uint64_t> from_all(uint64_t value);
  [[noreturn]] void tell_orders_apart(size_t other, const std::vector<int>& pass,
                                      const std::vector<std::string>& names);

  sz::Comm comm_;
  Options options_;
  struct Announced {
    std::unique_ptr<uint64_t> own;
    std::vector<uint64_t> all;  // by rank
    sz::Work work;
  };
  std::deque<Announced> announced_;
  struct Refresh {
    Unit* unit;
    sz::Work work;
  };
  std::deque<Refresh> refreshing_;
};

}  // namespace zero3
