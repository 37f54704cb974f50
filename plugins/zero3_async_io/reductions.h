// Gradients: collected a unit at a time, reduced behind backward, added into what this rank keeps. Thread: main.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "unit.h"
#include "waits.h"

namespace zero3 {

// Units that keep a whole gradient (stage 1) add locally and all-reduce once, after the last micro-batch; the others
// reduce-scatter each micro-batch, after the last user of the unit.
class Reductions {
 public:
  struct Options {
    bool overlap = true;
    size_t in_flight = 4;  // reductions whose buffers may live at a time
  };
  Reductions(sz::Host host, std::vector<std::unique_ptr<Unit>>& units, Options options);

  void begin_step();
  void add(int unit, int slot, const at::Tensor& gradient);
  // One of the unit's users has given all its gradients of this micro-batch.
  void user_done(int unit, bool last_micro_batch);
  void finish();  // waits for all

  Waits waits;

 private:
  struct Collected {
    at::Tensor whole;           // gradients of the micro-batch, or of the step in stage 1
    std::vector<bool> touched;  // by slot
    int missing_users = 0;
    bool reduced = false;       // in this step, once at least
  };
  struct Posted {
    size_t unit;
    at::Tensor sent, received;  // alive until the work is done
    bool first;                 // of the step: replaces the gradient instead of being added
    sz::Work work;
  };

  bool local(const Unit& unit) const { return unit.keeps().gradient; }
  void zero_what_is_untouched(const Unit& unit, Collected& collected) const;
  void post_all_reduce(size_t unit);
  void post_reduce_scatter(size_t unit);
  void post(Posted posted);
  void take_oldest();

  sz::Comm comm_;
  std::vector<std::unique_ptr<Unit>>& units_;
  Options options_;
  std::vector<Collected> collected_;  // by unit
  std::deque<Posted> posted_;
};

}  // namespace zero3
