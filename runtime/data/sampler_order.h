// The default data order: every epoch is a seeded permutation of the samples.
#pragma once
#include <cstdint>
#include <vector>

namespace sz {

// Epoch `epoch`'s order of n samples: Fisher and Yates's shuffle (Durstenfeld, 1964) with the random stream of
// (seed, epoch), a pure function of its arguments.
std::vector<int64_t> epoch_order(int64_t n, uint64_t seed, uint64_t epoch);

// The sample at a place of the run's whole data order: place p is number p % n of epoch p / n.
// Holds one epoch's order (8 bytes a sample) at a time. Thread: one at a time.
class SampleOrder {
 public:
  SampleOrder(int64_t n, uint64_t seed);  // n > 0
  int64_t at(uint64_t position);

 private:
  int64_t n_;
  uint64_t seed_;
  uint64_t epoch_ = 0;
  std::vector<int64_t> order_;
};

}  // namespace sz
