// Bucketed all-reduce, overlapped with backward: a bucket is a stretch of whole units of the flat gradient buffer,
// posted as soon as all of its units are complete.
// Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", VLDB 2020.
#pragma once
#include <cstdint>
#include <vector>

#include "comm/communicator.h"
#include "train/flat_layout.h"

namespace sz {

class Buckets {
 public:
  // Closes a bucket once it holds bucket_elements; the trainable units only.
  Buckets(const FlatLayout& layout, int64_t bucket_elements);

  void begin();  // a new step: all units incomplete
  // A unit has all its gradients of the step. Posts every bucket, in order, that is complete by now.
  void complete(int unit, float* gradients, Communicator& comm);
  void wait();   // for all posted ones; asserts that all were posted
  int count() const { return int(buckets_.size()); }

 private:
  struct Bucket {
    int64_t begin = 0, numel = 0;
    int units = 0, missing = 0;
  };
  std::vector<Bucket> buckets_;
  std::vector<int> bucket_of_;  // by unit
  size_t next_ = 0;             // first bucket not posted: they go out in this order on all ranks
  std::vector<WorkPtr> posted_;
};

}  // namespace sz
