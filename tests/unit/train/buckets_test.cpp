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
  std::vector<std::pair<size_t, size_t>> posted;  // offset from the fp32 gradients, count
  std::vector<DType> types;
  const GradientBuffers* gradients = nullptr;
  int ranks = 2;

  int rank() const override { return 0; }
  int size() const override { return ranks; }
  WorkPtr all_reduce(Channel channel, void* data, size_t count, DType type) override {
    EXPECT_EQ(channel, Channel::kReduce);
    const auto all = gradients->all().find(DType::kF32);
    const float* const base = all == gradients->all().end() ? nullptr : all->second.const_data_ptr<float>();
    posted.emplace_back(type == DType::kF32 ? size_t(static_cast<float*>(data) - base) : 0, count);
    types.push_back(type);
    return std::make_shared<Done>();
  }
  WorkPtr reduce_scatter(Channel, const void*, void*, size_t, DType) override { return nullptr; }
  WorkPtr all_gather(Channel, const void*, void*, size_t) override { return nullptr; }
  WorkPtr broadcast(Channel, void*, size_t, int) override { return nullptr; }
  WorkPtr barrier(Channel) override { return nullptr; }
  void abort(const std::string&) override {}
  std::optional<AbortInfo> aborted() const override { return {}; }
};

FlatLayout layout_of(std::vector<int64_t> sizes, int64_t frozen = 0, std::vector<ParameterDtypes> dtypes = {}) {
  FlatLayout layout;
  dtypes.resize(sizes.size());
  for (size_t u = 0; u < sizes.size(); ++u) {
    const int64_t n = sizes[u];
    FlatUnit unit;
    unit.begin = layout.numel;
    unit.numel = n;
    unit.dtypes = dtypes[u];
    int64_t& gradients = layout.gradient_numel[unit.dtypes.accumulate];
    unit.gradient_begin = gradients;
    gradients += n;
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
  GradientBuffers gradients(layout);
  Posts comm;
  comm.gradients = &gradients;
  buckets.begin();
  for (int u = 0; u < 5; ++u) buckets.complete(u, gradients, comm);
  buckets.wait();
  EXPECT_EQ(comm.posted, (std::vector<std::pair<size_t, size_t>>{{0, 32}, {32, 64}, {96, 48}}));
}

TEST(Buckets, AreNeverPostedOutOfOrder) {
  const FlatLayout layout = layout_of({32, 32, 32});
  Buckets buckets(layout, 32);
  GradientBuffers gradients(layout);
  Posts comm;
  comm.gradients = &gradients;
  for (int step = 0; step < 2; ++step) {
    comm.posted.clear();
    buckets.begin();
    buckets.complete(2, gradients, comm);
    buckets.complete(1, gradients, comm);
    EXPECT_TRUE(comm.posted.empty());
    buckets.complete(0, gradients, comm);
    EXPECT_EQ(comm.posted, (std::vector<std::pair<size_t, size_t>>{{0, 32}, {32, 32}, {64, 32}}));
    buckets.wait();
  }
}

// Units that are summed in one dtype share buckets, wherever units of another dtype lie between them.
TEST(Buckets, AreHomogeneousInDtypes) {
  ParameterDtypes half, sent_as_half;
  half.accumulate = half.wire = DType::kBF16;
  sent_as_half.wire = DType::kF16;
  const FlatLayout layout = layout_of({32, 64, 32, 64, 32, 32}, 0, {{}, half, {}, half, sent_as_half, {}});
  Buckets buckets(layout, 1000);
  EXPECT_EQ(buckets.count(), 4);
  GradientBuffers gradients(layout);
  Posts comm;
  comm.gradients = &gradients;
  buckets.begin();
  for (int u = 0; u < 6; ++u) buckets.complete(u, gradients, comm);
  buckets.wait();
  // In the order of their last units.
  EXPECT_EQ(comm.posted, (std::vector<std::pair<size_t, size_t>>{{0, 64}, {0, 128}, {0, 32}, {96, 32}}));
  EXPECT_EQ(comm.types, (std::vector<DType>{DType::kF32, DType::kBF16, DType::kF16, DType::kF32}));
}

TEST(Buckets, OneRankPostsNothing) {
  const FlatLayout layout = layout_of({32, 32});
  Buckets buckets(layout, 32);
  GradientBuffers gradients(layout);
  Posts comm;
  comm.ranks = 1;
  buckets.begin();
  for (int u = 0; u < 2; ++u) buckets.complete(u, gradients, comm);
  buckets.wait();
  EXPECT_TRUE(comm.posted.empty());
}

}  // namespace
}  // namespace sz::test
