// Buckets go out in one order, whatever the order in which units become complete.
#include "train/buckets.h"

#include <gtest/gtest.h>

#include "model/services.h"

namespace sz::test {
namespace {

// Two ranks in name: notes what is posted and does nothing.
class Posts final : public Communicator {
 public:
  struct Done final : Work {
    void wait() override {}
    bool done() override { return true; }
  };
  std::vector<std::pair<size_t, size_t>> posted;  // offset, count
  const float* base = nullptr;
  int ranks = 2;

  int rank() const override { return 0; }
  int size() const override { return ranks; }
  WorkPtr all_reduce(Channel channel, void* data, size_t count, DType type) override {
    EXPECT_EQ(channel, Channel::kReduce);
    EXPECT_EQ(type, DType::kF32);
    posted.emplace_back(size_t(static_cast<float*>(data) - base), count);
    return std::make_shared<Done>();
  }
  WorkPtr reduce_scatter(Channel, const void*, void*, size_t, DType) override { return nullptr; }
  WorkPtr all_gather(Channel, const void*, void*, size_t) override { return nullptr; }
  WorkPtr broadcast(Channel, void*, size_t, int) override { return nullptr; }
  WorkPtr barrier(Channel) override { return nullptr; }
  void abort(const std::string&) override {}
  std::optional<AbortInfo> aborted() const override { return {}; }
};

FlatLayout layout_of(std::vector<int64_t> sizes, int64_t frozen = 0) {
  FlatLayout layout;
  for (const int64_t n : sizes) {
    FlatUnit unit;
    unit.begin = layout.numel;
    unit.numel = n;
    layout.numel += n;
    layout.units.push_back(unit);
  }
  layout.trainable_numel = layout.numel;
  if (frozen > 0) {
    FlatUnit unit;
    unit.begin = layout.numel;
    unit.numel = frozen;
    unit.trainable = false;
    layout.units.push_back(unit);
    layout.numel += frozen;
  }
  return layout;
}

TEST(Buckets, HoldWholeUnitsUpToTheirSize) {
  const FlatLayout layout = layout_of({16, 16, 64, 16, 32}, 160);
  Buckets buckets(layout, 32);
  EXPECT_EQ(buckets.count(), 3);
  std::vector<float> gradients(144);
  Posts comm;
  comm.base = gradients.data();
  buckets.begin();
  for (int u = 0; u < 5; ++u) buckets.complete(u, gradients.data(), comm);
  buckets.wait();
  EXPECT_EQ(comm.posted, (std::vector<std::pair<size_t, size_t>>{{0, 32}, {32, 64}, {96, 48}}));
}

TEST(Buckets, AreNeverPostedOutOfOrder) {
  const FlatLayout layout = layout_of({32, 32, 32});
  Buckets buckets(layout, 32);
  std::vector<float> gradients(96);
  Posts comm;
  comm.base = gradients.data();
  for (int step = 0; step < 2; ++step) {
    comm.posted.clear();
    buckets.begin();
    buckets.complete(2, gradients.data(), comm);
    buckets.complete(1, gradients.data(), comm);
    EXPECT_TRUE(comm.posted.empty());
    buckets.complete(0, gradients.data(), comm);
    EXPECT_EQ(comm.posted, (std::vector<std::pair<size_t, size_t>>{{0, 32}, {32, 32}, {64, 32}}));
    buckets.wait();
  }
}

TEST(Buckets, OneRankPostsNothing) {
  const FlatLayout layout = layout_of({32, 32});
  Buckets buckets(layout, 32);
  std::vector<float> gradients(64);
  Posts comm;
  comm.ranks = 1;
  buckets.begin();
  for (int u = 0; u < 2; ++u) buckets.complete(u, gradients.data(), comm);
  buckets.wait();
  EXPECT_TRUE(comm.posted.empty());
}

}  // namespace
}  // namespace sz::test
