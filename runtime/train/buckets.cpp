#include "train/buckets.h"

#include "base/error.h"

namespace sz {

Buckets::Buckets(const FlatLayout& layout, int64_t bucket_elements) {
  for (const FlatUnit& unit : layout.units) {
    if (!unit.trainable) break;
    if (buckets_.empty() || buckets_.back().numel >= bucket_elements) buckets_.push_back({unit.begin, 0, 0, 0});
    Bucket& bucket = buckets_.back();
    bucket.numel += unit.numel;
    ++bucket.units;
    bucket_of_.push_back(int(buckets_.size()) - 1);
  }
}

void Buckets::begin() {
  SZ_ASSERT(posted_.empty());
  next_ = 0;
  for (Bucket& bucket : buckets_) bucket.missing = bucket.units;
}

void Buckets::complete(int unit, float* gradients, Communicator& comm) {
  --buckets_[bucket_of_[unit]].missing;
  for (; next_ < buckets_.size() && buckets_[next_].missing == 0; ++next_) {
    const Bucket& bucket = buckets_[next_];
    if (comm.size() == 1) continue;
    posted_.push_back(comm.all_reduce(Channel::kReduce, gradients + bucket.begin, size_t(bucket.numel), DType::kF32));
  }
}

void Buckets::wait() {
  SZ_ASSERT(next_ == buckets_.size());
  for (const WorkPtr& work : posted_) work->wait();
  posted_.clear();
}

}  // namespace sz
