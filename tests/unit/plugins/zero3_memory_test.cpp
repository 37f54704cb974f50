// Memory as promised, counted by the runtime's allocator. Ranks are threads here: their bytes add up.
#include "ops/allocator.h"
#include "unit/plugins/residency_drive.h"

namespace sz::test {
namespace {

const bool kInstalled = [] {
  install_allocator();
  return true;
}();

constexpr int64_t kSegment = 256 * 512, kTied = 700 * 256;

// Eight segments of one matrix each, and a tied matrix in the first and the last.
DriveSpec spec_of(int ranks) {
  DriveSpec spec;
  spec.ranks = ranks;
  for (int s = 0; s < 8; ++s) {
    spec.shapes.push_back({256, 512});
    spec.segments.push_back({s});
  }
  spec.shapes.push_back({700, 256});
  spec.segments.front().push_back(8);
  spec.segments.back().push_back(8);
  spec.steps = 2;
  return spec;
}

double elements_of(const DriveSpec& spec) { return double(declare(spec).parameter_count()); }

// Rank 0 looks while all others stand still.
void together(Communicator& comm, const std::function<void()>& look) {
  comm.barrier(Channel::kData)->wait();
  if (comm.rank() == 0) look();
  comm.barrier(Channel::kData)->wait();
}

struct Measured {
  double kept = 0;      // bytes a rank and parameter between steps
  double above = 0;     // bytes a rank above that at the peak of a step
};

Measured measure(DriveSpec spec, const MakeResidency& make) {
  EXPECT_TRUE(kInstalled);
  const int64_t before = allocator_stats().live_bytes;
  Measured measured;
  spec.at = [&](const std::string& point, int step, Residency& residency, Communicator& comm) {
    if (point == "built") {
      residency.mark_stable();
      return;
    }
    together(comm, [&] {
      const AllocatorStats stats = allocator_stats();
      if (step == 0) {
        reset_peak();
        return;
      }
      measured.kept = double(stats.live_bytes - before) / comm.size() / elements_of(spec);
      measured.above = double(stats.peak_bytes - stats.live_bytes) / comm.size();
    });
  };
  drive(spec, make);
  return measured;
}

std::string stage(int number) { return "persist_threshold = 0\nstage = " + std::to_string(number); }

TEST(Zero3Memory, AdamInFp32KeepsWhatTheFormulaSays) {
  for (const int n : {1, 2, 4}) {
    const DriveSpec spec = spec_of(n);
    const double expected[] = {16.0, 8 + 8.0 / n, 4 + 12.0 / n, 16.0 / n};
    EXPECT_NEAR(measure(spec, replicated).kept, expected[0], 0.05 * expected[0]) << n;
    for (const int number : {1, 2, 3}) {
      const double kept = measure(spec, zero3(stage(number))).kept;
      EXPECT_NEAR(kept, expected[number], 0.05 * expected[number]) << "stage " << number << " on " << n << " ranks";
    }
  }
}

TEST(Zero3Memory, MixedPrecisionAndSnapshots) {
  for (const int n : {1, 2, 4}) {
    DriveSpec spec = spec_of(n);
    spec.dtypes = {DType::kF32, DType::kF16, DType::kF16, DType::kF16};
    EXPECT_NEAR(measure(spec, zero3(stage(3))).kept, 16.0 / n, 0.05 * 16 / n);
    spec.dtypes.accumulate = DType::kF32;
    EXPECT_NEAR(measure(spec, zero3(stage(3))).kept, 18.0 / n, 0.05 * 18 / n);
    spec.dtypes = {};
    spec.keep_stable = true;
    EXPECT_NEAR(measure(spec, zero3(stage(3))).kept, 28.0 / n, 0.05 * 28 / n);
  }
}

// At the peak: the live segment's parameters, its gradients as they come and as they are sent, and the whole gradient
// of the shared set. With overlap as many more as are on their way.
TEST(Zero3Memory, PeakAddsLiveSegmentsAndOneSharedGradient) {
  const DriveSpec spec = spec_of(2);
  const double segment = 4.0 * double(kSegment + kTied), shared = 4.0 * double(kTied);
  const double whole = 4 * elements_of(spec);
  const double alone = measure(spec, zero3(stage(3) + "\noverlap = false")).above;
  EXPECT_GT(alone, segment);
  EXPECT_LT(alone, 3 * segment + shared);
  const double ahead = measure(spec, zero3(stage(3) + "\nprefetch_segments = 1")).above;
  EXPECT_LT(ahead, 3 * segment + shared + 4.0 * double(3 * kSegment));
  EXPECT_LT(alone, whole) << "the test's model is too small to tell";
}

TEST(Zero3Memory, NothingIsWholeWhileBuilding) {
  for (const DType compute : {DType::kF32, DType::kBF16}) {
    DriveSpec spec = spec_of(4);
    spec.dtypes.compute = compute;
    for (int p = 0; p < 9; ++p) spec.frozen.insert(p);  // parameters alone: no gradients, no optimizer state
    spec.steps = 0;
    const int64_t before = allocator_stats().live_bytes;
    reset_peak();
    double peak = 0;
    spec.at = [&](const std::string&, int, Residency&, Communicator& comm) {
      together(comm, [&] { peak = double(allocator_stats().peak_bytes - before) / comm.size(); });
    };
    drive(spec, zero3(stage(3)));
    const double bytes = compute == DType::kF32 ? 4 : 6;  // a half mirror beside the master
    const double shard = bytes * elements_of(spec) / 4, largest = bytes * double(kSegment + kTied);
    EXPECT_GE(peak, shard);
    EXPECT_LT(peak, shard + largest);
    EXPECT_LT(peak, bytes * elements_of(spec) / 2);
  }
}

struct Limit {
  explicit Limit(int64_t bytes) { set_memory_limit(bytes); }
  ~Limit() { set_memory_limit(0); }
};

TEST(Zero3Memory, TrainsUnderALimitAtWhichReplicatedRunsOut) {
  const DriveSpec spec = spec_of(2);
  release_cached_blocks();
  const Limit limit(allocator_stats().reserved_bytes + int64_t(26 * elements_of(spec)));
  try {
    drive_replicated(spec);
    ADD_FAILURE() << "the replicated run fits";
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::kExhausted);
    EXPECT_NE(std::string(e.what()).find("out of memory"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("shards"), std::string::npos) << e.what();
  }
  release_cached_blocks();
  EXPECT_EQ(drive(spec, zero3(stage(3) + "\nprefetch_segments = 1")).norms.size(), 2u);
}

TEST(Zero3Memory, RunningOutIsSaidToBeRunningOut) {
  const DriveSpec spec = spec_of(2);
  release_cached_blocks();
  const Limit limit(allocator_stats().reserved_bytes + int64_t(4 * elements_of(spec)));
  try {
    drive(spec, zero3(stage(3)));
    ADD_FAILURE() << "it fits";
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::kExhausted) << e.what();
  }
}

}  // namespace
}  // namespace sz::test
