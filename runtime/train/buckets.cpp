#include "train/buckets.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "ops/dtypes.h"

namespace sz {

Buckets::Buckets(const FlatLayout& layout, int64_t bucket_elements) {
  for (size_t u = 0; u < layout.units.size() && layout.units[u].trainable; ++u) {
    add(layout.units[u], int(u), bucket_elements);
  }
  order();
}

// To the last bucket of the unit's accumulate dtype, whose end it lies at, or to a new one.
void Buckets::add(const FlatUnit& unit, int index, int64_t bucket_elements) {
  const auto same_buffer = [&](const Bucket& bucket) { return bucket.accumulate == unit.dtypes.accumulate; };
  auto open = std::find_if(buckets_.rbegin(), buckets_.rend(), same_buffer);
  if (open == buckets_.rend() || open->wire != unit.dtypes.wire || open->numel >= bucket_elements) {
    buckets_.push_back({unit.dtypes.accumulate, unit.dtypes.wire, unit.gradient_begin});
    open = buckets_.rbegin();
  }
  open->numel += unit.numel;
  ++open->units;
  open->last_unit = index;
  bucket_of_.push_back(int(&*open - buckets_.data()));
}

void Buckets::order() {
  std::vector<int> by_last_unit(buckets_.size()), place(buckets_.size());
  std::iota(by_last_unit.begin(), by_last_unit.end(), 0);
  std::sort(by_last_unit.begin(), by_last_unit.end(),
            [&](int a, int b) { return buckets_[a].last_unit < buckets_[b].last_unit; });
  std::vector<Bucket> ordered;
  for (const int bucket : by_last_unit) {
    place[bucket] = int(ordered.size());
    ordered.push_back(buckets_[bucket]);
  }
  buckets_ = std::move(ordered);
  for (int& bucket : bucket_of_) bucket = place[bucket];
}

void Buckets::begin() {
  SZ_ASSERT(posted_.empty());
  next_ = 0;
  for (Bucket& bucket : buckets_) bucket.missing = bucket.units;
}

void Buckets::complete(int unit, const GradientBuffers& gradients, Communicator& comm) {
  --buckets_[bucket_of_[unit]].missing;
  for (; next_ < buckets_.size() && buckets_[next_].missing == 0; ++next_) {
    if (comm.size() > 1) post(buckets_[next_], gradients, comm);
  }
}

void Buckets::post(const Bucket& bucket, const GradientBuffers& gradients, Communicator& comm) {
  Posted posted;
  posted.gradient = gradients.stretch(bucket.accumulate, bucket.begin, bucket.numel);
  posted.sent = posted.gradient.to(to_torch(bucket.wire));  // itself where the dtype is the same
  posted.work = comm.all_reduce(Channel::kReduce, posted.sent.data_ptr(), size_t(bucket.numel), bucket.wire);
  posted_.push_back(std::move(posted));
}

void Buckets::wait() {
  SZ_ASSERT(next_ == buckets_.size());
  for (const Posted& posted : posted_) {
    posted.work->wait();
    if (!posted.sent.is_same(posted.gradient)) at::Tensor(posted.gradient).copy_(posted.sent);
  }
  posted_.clear();
}

}  // namespace sz
