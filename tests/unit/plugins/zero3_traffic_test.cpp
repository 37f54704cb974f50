// Which collectives a step takes, by stage.
#include <gmock/gmock.h>

#include "unit/plugins/residency_drive.h"
#include "zero3_async_io/layout.h"

namespace sz::test {
namespace {

using testing::ElementsAre;

struct Traffic {
  int reductions = 0, scatters = 0, gathers = 0;  // of the last step, on rank 0
};

// Three segments, the first and the last of which share p0; two micro-batches; p3 and p4 are small.
DriveSpec spec_of() {
  DriveSpec spec;
  spec.shapes = {{40, 8}, {40, 6}, {40, 6}, {5}, {3}};
  spec.segments = {{0, 3}, {1, 4}, {2, 0}};
  spec.steps = 3;
  spec.micro_batches = 2;
  return spec;
}

Traffic traffic_of(const std::string& keys, DriveSpec spec = spec_of()) {
  std::mutex mutex;
  Traffic traffic;
  spec.comm.on_finished = [&](const CommEvent& event) {
    const std::lock_guard lock(mutex);
    if (event.rank != 0 || event.operation == "all_gather of 8 bytes a rank") return;  // hashes of the order
    traffic.reductions += event.channel == Channel::kReduce && event.operation.starts_with("all_reduce");
    traffic.scatters += event.channel == Channel::kReduce && event.operation.starts_with("reduce_scatter");
    traffic.gathers += event.channel == Channel::kGather;
  };
  spec.at = [&](const std::string&, int step, Residency&, Communicator& comm) {
    comm.barrier(Channel::kData)->wait();
    if (comm.rank() == 0 && step + 2 == spec.steps) {
      const std::lock_guard lock(mutex);
      traffic = {};
    }
    comm.barrier(Channel::kData)->wait();
  };
  drive(spec, zero3(keys));
  return traffic;
}

// Units: p0 (shared), p1, p2, and p3 and p4 as small as they are.
TEST(Zero3Traffic, StageOneReducesWholeGradientsOnceAStep) {
  const Traffic traffic = traffic_of("stage = 1\npersist_threshold = 0");
  EXPECT_EQ(traffic.reductions, 5);
  EXPECT_EQ(traffic.scatters, 0);
  EXPECT_EQ(traffic.gathers, 5) << "each updated unit once";
}

TEST(Zero3Traffic, StageTwoScattersEachMicroBatch) {
  const Traffic traffic = traffic_of("stage = 2\npersist_threshold = 0");
  EXPECT_EQ(traffic.reductions, 0);
  EXPECT_EQ(traffic.scatters, 2 * 5) << "the shared parameter once, after its last user";
  EXPECT_EQ(traffic.gathers, 5);
}

TEST(Zero3Traffic, StageThreeGathersForEachPass) {
  const Traffic traffic = traffic_of("stage = 3\npersist_threshold = 0\noverlap = false");
  EXPECT_EQ(traffic.reductions, 0);
  EXPECT_EQ(traffic.scatters, 2 * 5);
  EXPECT_EQ(traffic.gathers, 2 * 2 * 6) << "forward and backward of two micro-batches, two units a segment";
}

TEST(Zero3Traffic, SmallParametersAreOneUnitOfAllSegments) {
  const Traffic traffic = traffic_of("stage = 3\npersist_threshold = 10\noverlap = false");
  EXPECT_EQ(traffic.scatters, 2 * (3 + 2)) << "p4 decays, p3 does not";
  DriveSpec alike = spec_of();
  alike.shapes.push_back({2});  // p5, of p3's decay group
  alike.segments[2].push_back(5);
  EXPECT_EQ(traffic_of("stage = 3\npersist_threshold = 10\noverlap = false", alike).scatters, 2 * (3 + 2));
  EXPECT_EQ(traffic_of("stage = 3\npersist_threshold = 0\noverlap = false", alike).scatters, 2 * (5 + 1));
}

TEST(Zero3Traffic, SmallUnitsKnowAllTheirUsers) {
  zero3::ModelSpec model;
  for (const int64_t numel : {100, 2, 100, 3, 100, 4}) model.parameters.push_back({"p", {numel}, numel});
  model.segment_names = {"a", "b", "c"};
  model.segments = {{0, 1}, {2, 3}, {4, 5, 1}};
  const zero3::Layout layout = zero3::make_layout(model, 2, 10);
  ASSERT_EQ(layout.units.size(), 4u);
  const zero3::UnitPlan& small = layout.units[size_t(layout.places[1].unit)];
  EXPECT_TRUE(small.persistent);
  EXPECT_EQ(small.name, "small/decay");
  EXPECT_THAT(small.users, ElementsAre(0, 1, 2));
  EXPECT_THAT(small.parameters, ElementsAre(1, 3, 5));
  for (const auto& units : layout.units_of_segment) EXPECT_EQ(units.size(), 2u);
}

}  // namespace
}  // namespace sz::test
