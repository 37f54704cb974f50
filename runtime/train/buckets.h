// Bucketed all-reduce, overlapped with backward: a bucket is a stretch of whole units of a flat gradient buffer, posted
// as soon as all of its units are complete.
// Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training", VLDB 2020.
#pragma once
#include <cstdint>
#include <vector>

#include "comm/communicator.h"
#include "train/flat_layout.h"
#include "train/gradient_buffers.h"

namespace sz {

class Buckets {
 public:
  // Closes a bucket once it holds bucket_elements; the trainable units only. A bucket's units are summed in one dtype
  // and travel in one: where they are two, a bucket is sent as a copy in the wire dtype and comes back by another.
  Buckets(const FlatLayout& layout, int64_t bucket_elements);

  void begin();  // a new step: all units incomplete
  // A unit has all its gradients of the step. Posts every bucket, in order, that is complete by now.
  void complete(int unit, const GradientBuffers& gradients, Communicator& comm);
  void wait();   // for all posted ones; asserts that all were posted
  int count() const { return int(buckets_.size()); }

 private:
  struct Bucket {
    DType accumulate = DType::kF32, wire = DType::kF32;
    int64_t begin = 0, numel = 0;  // within the gradients of that accumulate dtype
    int units = 0, missing = 0, last_unit = 0;
  };
  struct Posted {
    at::Tensor gradient, sent;  // sent: gradient itself, or the copy that travels
    WorkPtr work;               // goes before the buffers do
  };
  void add(const FlatUnit& unit, int index, int64_t bucket_elements);
  void order();
  void post(const Bucket& bucket, const GradientBuffers& gradients, Communicator& comm);

  std::vector<Bucket> buckets_;  // in the order in which they go out, the same on all ranks: of their last units
  std::vector<int> bucket_of_;   // by unit
  size_t next_ = 0;              // first bucket not posted
  std::vector<Posted> posted_;
};

}  // namespace sz
