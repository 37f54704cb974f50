// The recorded order of segments: prefetch by it, what happens when it changes, and when ranks differ.
#include <gmock/gmock.h>

#include <chrono>

#include "unit/plugins/residency_drive.h"
#include "zero3_async_io/layout.h"
#include "zero3_async_io/order.h"

namespace sz::test {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using zero3::Order;

void run_pass(Order& order, const std::vector<int>& segments) {
  for (const int s : segments) order.next(s);
}

TEST(Zero3Order, TheFirstPassIsRecordedAndForetoldLater) {
  Order order;
  EXPECT_EQ(order.begin_pass(), Order::Event::kNone);
  run_pass(order, {0, 1, 1, 0});
  EXPECT_THAT(order.upcoming(2), IsEmpty());
  EXPECT_EQ(order.begin_pass(), Order::Event::kRecorded);
  EXPECT_THAT(order.upcoming(2), ElementsAre(0, 1));
  EXPECT_EQ(order.next(0), Order::Event::kNone);
  EXPECT_THAT(order.upcoming(9), ElementsAre(1, 1, 0));
  run_pass(order, {1, 1, 0});
  EXPECT_THAT(order.upcoming(2), IsEmpty());
  EXPECT_EQ(order.begin_pass(), Order::Event::kNone);
}

TEST(Zero3Order, AChangeIsRecordedAnew) {
  Order order;
  run_pass(order, {0, 1, 2});
  order.begin_pass();
  order.next(0);
  EXPECT_EQ(order.next(2), Order::Event::kChanged);
  EXPECT_EQ(order.expected(), 1);
  EXPECT_THAT(order.upcoming(2), IsEmpty());
  EXPECT_EQ(order.next(1), Order::Event::kNone);
  EXPECT_EQ(order.begin_pass(), Order::Event::kRecorded);
  EXPECT_THAT(order.upcoming(3), ElementsAre(0, 2, 1));
}

TEST(Zero3Order, LongerAndShorterPassesAreChanges) {
  Order order;
  run_pass(order, {0, 1});
  order.begin_pass();
  run_pass(order, {0, 1});
  EXPECT_EQ(order.next(2), Order::Event::kChanged);
  EXPECT_EQ(order.expected(), -1);
  order.begin_pass();
  run_pass(order, {0, 1});
  EXPECT_EQ(order.begin_pass(), Order::Event::kChanged);
  EXPECT_EQ(order.expected(), 2);
  EXPECT_THAT(order.upcoming(3), ElementsAre(0, 1));
}

TEST(Zero3Order, HashesTellOrdersApart) {
  Order a, b;
  run_pass(a, {0, 1, 2});
  run_pass(b, {0, 2, 1});
  EXPECT_NE(a.hash(), b.hash());
}

TEST(Zero3Layout, ShardsCoverEveryElementOnce) {
  zero3::ModelSpec model;
  for (const int64_t numel : {1, 57, 3, 1000}) {
    model.parameters.push_back({"p" + std::to_string(numel), {numel}, numel});
    model.segments.push_back({int(model.segments.size())});
    model.segment_names.push_back("s" + std::to_string(numel));
  }
  model.segments.push_back({0, 1});  // shared with the first two
  model.segment_names.push_back("last");
  for (const int ranks : {1, 2, 3, 7, 16}) {
    const zero3::Layout layout = zero3::make_layout(model, ranks, 0);
    std::vector<int64_t> seen(model.parameters.size());
    for (const zero3::UnitPlan& unit : layout.units) {
      EXPECT_GE(unit.shard * ranks, unit.numel);
      EXPECT_LT(unit.shard, unit.numel / ranks + 17) << "more than ceil(numel / ranks), rounded up to 64 bytes";
      EXPECT_EQ(unit.shard % 16, 0);
      for (int r = 0; r < ranks; ++r) {
        for (const sz_param_range& range : zero3::ranges_of(unit, model, r)) {
          seen[size_t(range.parameter)] += range.count;
        }
      }
    }
    EXPECT_THAT(seen, ElementsAre(1, 57, 3, 1000));
    EXPECT_EQ(layout.units_of_segment.back().size(), 2u);
  }
}

// Four segments of one unit each, of the same size.
DriveSpec four_segments() {
  DriveSpec spec;
  spec.shapes = {{30, 4}, {30, 4}, {30, 4}, {30, 4}};
  spec.segments = {{0}, {1}, {2}, {3}};
  return spec;
}

const char* const kAhead = "persist_threshold = 0\nprefetch_segments = 1";

TEST(Zero3Order, AChangedOrderIsADecisionAndNothingElse) {
  const TemporaryFolder folder;
  DriveSpec spec = four_segments();
  spec.steps = 5;
  spec.order = [](int, int step) { return step == 2 || step == 3 ? std::vector{0, 2, 1, 3} : std::vector{0, 1, 2, 3}; };
  const std::string decisions = folder / "decisions.jsonl";
  expect_identical(drive_replicated(spec).arrays, drive(spec, zero3(kAhead, decisions)).arrays);
  int recorded = 0, changed = 0;
  for (const nlohmann::json& line : json_lines(decisions)) {
    recorded += line.at("what") == "order_recorded";
    changed += line.at("what") == "order_changed";
    if (line.at("what") == "order_changed" && changed == 1) {
      EXPECT_EQ(line.at("from"), "s1");
      EXPECT_EQ(line.at("to"), "s2");
    }
  }
  EXPECT_EQ(changed, 2);   // there and back
  EXPECT_EQ(recorded, 2);  // the first one; the one of step 2; that of step 4 would be at step 5
}

class OtherOrder : public testing::TestWithParam<const char*> {};

TEST_P(OtherOrder, RanksAreNamedBeforeAnyTimeOut) {
  DriveSpec spec = four_segments();
  for (const int step : {0, 1, 2}) {
    spec.order = [step](int rank, int now) {
      return rank == 1 && now == step ? std::vector{0, 2, 1, 3} : std::vector{0, 1, 2, 3};
    };
    const std::string keys = GetParam();
    try {
      drive(spec, zero3(keys));
      ADD_FAILURE() << "nobody noticed";
    } catch (const Error& e) {
      EXPECT_EQ(e.exit(), Exit::kComm);
      // The first collective that differs may tell before the orders are compared.
      EXPECT_THAT(e.what(), AnyOf(HasSubstr("rank 0 ran s1 and rank 1 ran s2"), HasSubstr("ranks 0 and 1 disagree")));
      EXPECT_THAT(e.what(), Not(HasSubstr("no progress")));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Zero3Order, OtherOrder,
                         testing::Values("persist_threshold = 0\nprefetch_segments = 1",
                                         "persist_threshold = 0\nprefetch_segments = 2",
                                         "persist_threshold = 0\noverlap = false", "stage = 2", "stage = 1"));

// Units of different sizes: the first collective that does not match tells.
TEST(Zero3Order, RanksWhoseCollectivesDifferAreNamed) {
  DriveSpec spec = four_segments();
  spec.shapes[2] = {80, 5};
  spec.order = [](int rank, int step) {
    return rank == 1 && step == 0 ? std::vector{0, 2, 1, 3} : std::vector{0, 1, 2, 3};
  };
  try {
    drive(spec, zero3(kAhead));
    ADD_FAILURE() << "nobody noticed";
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::kComm);
    EXPECT_THAT(e.what(), HasSubstr("ranks 0 and 1 disagree on channel gather"));
  }
}

struct Trace {
  std::vector<double> gathers, reduces;                      // of step 1 on rank 0: when posted
  std::map<std::pair<int, bool>, double> begins;             // (segment, backward) -> when the loop came to it
};

Trace trace_of(const std::string& keys) {
  DriveSpec spec = four_segments();
  Trace trace;
  std::mutex mutex;
  std::vector<CommEvent> events;
  double begin = 0;
  const auto now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  spec.comm.on_finished = [&](const CommEvent& event) {
    const std::lock_guard lock(mutex);
    if (event.rank == 0) events.push_back(event);
  };
  spec.steps = 2;
  spec.at = [&](const std::string& point, int step, Residency&, Communicator& comm) {
    if (point == "step" && step == 0 && comm.rank() == 0) begin = now();
  };
  spec.at_segment = [&](int segment, bool backward, int step, Communicator& comm) {
    if (step == 1 && comm.rank() == 0) trace.begins[{segment, backward}] = now();
  };
  drive(spec, zero3(keys));
  const std::string hash = "all_gather of 8 bytes a rank";
  for (const CommEvent& event : events) {
    if (event.times.posted < begin || event.operation == hash) continue;
    if (event.channel == Channel::kGather) trace.gathers.push_back(event.times.posted);
    if (event.channel == Channel::kReduce) trace.reduces.push_back(event.times.posted);
  }
  return trace;
}

TEST(Zero3Order, GathersArePostedAheadAndReductionsBehindBackward) {
  const Trace ahead = trace_of(kAhead);
  ASSERT_EQ(ahead.gathers.size(), 7u);  // 0 1 2 3, which stays for its backward, 2 1 0
  for (int s = 1; s < 4; ++s) EXPECT_LT(ahead.gathers[size_t(s)], ahead.begins.at({s, false})) << s;
  for (int s = 2; s >= 0; --s) EXPECT_LT(ahead.gathers[size_t(6 - s)], ahead.begins.at({s, true})) << s;
  ASSERT_EQ(ahead.reduces.size(), 4u);
  EXPECT_LT(ahead.reduces[0], ahead.begins.at({2, true}));
  EXPECT_LT(ahead.reduces[2], ahead.begins.at({0, true}));

  const Trace demand = trace_of("persist_threshold = 0\noverlap = false");
  ASSERT_EQ(demand.gathers.size(), 8u);
  for (int s = 1; s < 4; ++s) EXPECT_GT(demand.gathers[size_t(s)], demand.begins.at({s, false})) << s;
}

TEST(Zero3Order, EveryStepReportsItsWaits) {
  RunSpec spec;
  spec.ranks = 2;
  spec.options.steps = 3;
  for (const int stage : {1, 2, 3}) {
    const std::string keys = "persist_threshold = 0\nstage = " + std::to_string(stage);
    const auto lines = with(train_sharded(spec, keys).metrics, "loss");
    ASSERT_EQ(lines.size(), 3u);
    for (const nlohmann::json& line : lines) {
      double gather = 0, reduce = 0;
      for (const char* kind : {"wait_s", "hidden_s"}) {
        const double g = line.at(std::string("zero3_async_io.gather_") + kind);
        const double r = line.at(std::string("zero3_async_io.reduce_") + kind);
        EXPECT_GE(g, 0);
        EXPECT_GE(r, 0);
        gather += g;
        reduce += r;
      }
      EXPECT_GT(gather, 0) << "stage " << stage;
      EXPECT_GT(reduce, 0) << "stage " << stage;
    }
  }
}

// --- verify --------------------------------------------------------------------------------------------------------

// A communicator that hands out a wrong byte in one gather.
class FaultyCommunicator final : public Communicator {
 public:
  FaultyCommunicator(Communicator& inner, int broken) : inner_(inner), broken_(broken) {}
  int rank() const override { return inner_.rank(); }
  int size() const override { return inner_.size(); }
  WorkPtr all_reduce(Channel c, void* d, size_t n, DType t) override { return inner_.all_reduce(c, d, n, t); }
  WorkPtr reduce_scatter(Channel c, const void* in, void* out, size_t n, DType t) override {
    return inner_.reduce_scatter(c, in, out, n, t);
  }
  WorkPtr all_gather(Channel c, const void* in, void* out, size_t bytes) override {
    WorkPtr work = inner_.all_gather(c, in, out, bytes);
    if (bytes > 8 && ++gathers_ == broken_) {
      work->wait();
      static_cast<char*>(out)[bytes / 2] ^= 1;
    }
    return work;
  }
  WorkPtr broadcast(Channel c, void* d, size_t n, int root) override { return inner_.broadcast(c, d, n, root); }
  WorkPtr barrier(Channel c) override { return inner_.barrier(c); }
  void abort(const std::string& reason) override { inner_.abort(reason); }
  std::optional<AbortInfo> aborted() const override { return inner_.aborted(); }

 private:
  Communicator& inner_;
  int broken_, gathers_ = 0;
};

void drive_with_a_wrong_byte(const std::string& keys) {
  DriveSpec spec = four_segments();
  drive(spec, [&](RankParts& parts) {
    parts.comm = parts.own<FaultyCommunicator>(*parts.comm, parts.rank() == 1 ? 6 : -1);
    return zero3(keys)(parts);
  });
}

TEST(Zero3Verify, AWrongByteIsFoundAndItsRankNamed) {
  for (const char* stage : {"stage = 3", "stage = 2"}) {
    const std::string keys = std::string(kAhead) + "\n" + stage;
    EXPECT_NO_THROW(drive_with_a_wrong_byte(keys + "\nverify = false"));
    try {
      drive_with_a_wrong_byte(keys + "\nverify = true");
      ADD_FAILURE() << "nobody noticed";
    } catch (const Error& e) {
      EXPECT_EQ(e.exit(), Exit::kComm);
      EXPECT_THAT(e.what(), HasSubstr("rank 1 gathered other bytes of s"));
    }
  }
}

}  // namespace
}  // namespace sz::test
