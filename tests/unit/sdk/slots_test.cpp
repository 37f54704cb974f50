// Owners of slots and providers of services in C++, called through their C tables.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fake_host.h"
#include "sz/loss.hpp"
#include "sz/optimizer.hpp"
#include "sz/pacing.hpp"
#include "sz/plugin.hpp"
#include "sz/precision.hpp"
#include "sz/residency.hpp"
#include "sz/segment.hpp"
#include "sz/source.hpp"

namespace sz_test {
namespace {

class Halving : public sz::Plugin, public sz::Precision {
 public:
  static sz::Descriptor describe() {
    return sz::Descriptor("halving", "1.0.0").licence("MIT").summary("halves").slot("precision");
  }
  explicit Halving(sz::Host host) : Plugin(host) {}
  void plan(const sz_model* model, std::span<sz_parameter_dtypes> parameters,
            std::span<sz_segment_dtypes> segments) override {
    for (auto& parameter : parameters) parameter.compute = SZ_BF16;
    for (auto& segment : segments) segment.autocast = 1;
  }
  double scale() const noexcept override { return scale_; }
  sz::Vote judge(const sz_step_facts& facts) override {
    if (facts.non_finite == 0) return {};
    scale_ /= 2;
    return {.verdict = SZ_ROLL_BACK, .reason = "bad", .keep_data_position = true};
  }

 private:
  double scale_ = 8;
};

// A model of three parameters and two segments, for Halving's plan.
const void* model_interface(const sz_host*, const char* id) {
  static sz_model_api api = {};
  api.struct_size = sizeof(api);
  api.parameter_count = [](const sz_host*, const sz_model*) { return int64_t(3); };
  api.segment_count = [](const sz_host*, const sz_model*) { return int64_t(2); };
  return std::string_view(id) == SZ_MODEL ? &api : nullptr;
}

template <class P, class... Interfaces>
const sz_plugin* entered() {
  sz_error* error = nullptr;
  const sz_plugin* plugin = sz::detail::Registration<P, Interfaces...>::enter(&the_offer, &error);
  EXPECT_EQ(said(error), "");
  return plugin;
}

TEST(Precision, PlansScalesAndJudges) {
  FakeHost fake;
  fake.host.get_interface = model_interface;
  Life life(entered<Halving, sz::Precision>(), fake);
  const auto& table = life.extension<sz_precision>(SZ_PRECISION);

  sz_parameter_dtypes parameters[4] = {};
  sz_segment_dtypes segments[3] = {};
  EXPECT_EQ(said(table.plan(life.self, nullptr, parameters, segments)), "");
  EXPECT_EQ(parameters[2].compute, SZ_BF16);
  EXPECT_EQ(parameters[2].master, SZ_F32);
  EXPECT_EQ(parameters[3].compute, SZ_F32) << "past the model's end";
  EXPECT_EQ(segments[1].autocast, 1);
  EXPECT_EQ(segments[2].autocast, 0) << "past the model's end";

  EXPECT_EQ(table.scale(life.self), 8);
  sz_step_facts facts = {};
  facts.non_finite = 1;
  sz_vote vote = {};
  vote.struct_size = sizeof(vote);
  EXPECT_EQ(said(table.judge(life.self, &facts, &vote)), "");
  EXPECT_EQ(vote.verdict, sz_verdict(SZ_ROLL_BACK));
  EXPECT_EQ(vote.keep_data_position, 1u);
  EXPECT_EQ(table.scale(life.self), 4);
}

// Writes down its calls; throws in mark_stable.
class Recorder : public sz::Plugin, public sz::Residency {
 public:
  static sz::Descriptor describe() {
    return sz::Descriptor("recorder", "1.0.0").licence("MIT").summary("records").slot("residency");
  }
  explicit Recorder(sz::Host host) : Plugin(host) {}
  void build(const sz_residency_setup& setup) override { note("build " + std::to_string(setup.seed)); }
  void acquire(int32_t segment, sz_mode mode, sz_tensor_list*) override { note("acquire", segment, mode); }
  void release(int32_t segment, sz_mode mode) override { note("release", segment, mode); }
  void acquire_head(sz_tensor_list*) override { note("acquire_head"); }
  void hold_all() override { note("hold_all"); }
  void let_go() override { note("let_go"); }
  void begin_step() override { note("begin_step"); }
  void accumulate(int32_t segment, int32_t micro_batch, bool last, std::span<sz_tensor* const> gradients) override {
    note("accumulate", segment, micro_batch, last, int(gradients.size()));
  }
  void finish_gradients() override { note("finish_gradients"); }
  sz_gradient_facts gradient_facts() override { return {0, -1, 2.5, 0}; }
  void for_each_unit(const UnitVisitor& visit) override {
    for (const char* name : {"first", "second"}) {
      sz_update_unit unit = {};
      unit.struct_size = sizeof(unit);
      unit.name = name;
      visit(unit);
    }
  }
  void parameters_updated() override { note("parameters_updated"); }
  bool can_restore() const noexcept override { return true; }
  void mark_stable() override { throw sz::Error(SZ_EXHAUSTED, "no room for a snapshot"); }
  void restore() override { note("restore"); }
  void export_pieces(const PieceVisitor& visit) override { visit_one(visit); }
  void import_pieces(const PieceVisitor& fill) override { visit_one(fill); }

  std::vector<std::string> calls;
  float value = 1;

 private:
  template <class... Numbers>
  void note(std::string call, Numbers... numbers) {
    ((call += " " + std::to_string(numbers)), ...);
    calls.push_back(call);
  }
  void visit_one(const PieceVisitor& visit) {
    const int64_t shape[] = {1};
    visit({sizeof(sz_export_piece), 1, "weight", "master", shape, 0, 1, &value});
  }
};

TEST(Residency, CallsArriveInOrder) {
  FakeHost fake;
  Life life(entered<Recorder, sz::Residency>(), fake);
  auto& recorder = *static_cast<Recorder*>(life.self);
  const auto& table = life.extension<sz_residency>(SZ_RESIDENCY);
  sz_residency_setup setup = {};
  setup.seed = 7;
  sz_tensor* gradients[3] = {};
  for (sz_error* error : {table.build(life.self, &setup), table.begin_step(life.self),
                          table.acquire(life.self, 4, SZ_MODE_EVALUATE, nullptr),
                          table.release(life.self, 4, SZ_MODE_EVALUATE), table.acquire_head(life.self, nullptr),
                          table.hold_all(life.self), table.let_go(life.self),
                          table.accumulate(life.self, 2, 1, 1, 3, gradients), table.finish_gradients(life.self),
                          table.parameters_updated(life.self), table.restore(life.self)}) {
    EXPECT_EQ(said(error), "");
  }
  EXPECT_EQ(recorder.calls, (std::vector<std::string>{"build 7", "begin_step", "acquire 4 2", "release 4 2",
                                                      "acquire_head", "hold_all", "let_go", "accumulate 2 1 1 3",
                                                      "finish_gradients", "parameters_updated", "restore"}));
  EXPECT_EQ(table.can_restore(life.self), 1u);
  EXPECT_EQ(taken(table.mark_stable(life.self)),
            std::pair(sz_code(SZ_EXHAUSTED), std::string("no room for a snapshot")));
}

TEST(Residency, VisitorsAreCalledAndMayStopIt) {
  FakeHost fake;
  Life life(entered<Recorder, sz::Residency>(), fake);
  const auto& table = life.extension<sz_residency>(SZ_RESIDENCY);
  std::string seen;
  const auto visit = [](void* context, const sz_update_unit* unit) -> sz_error* {
    *static_cast<std::string*>(context) += unit->name;
    return nullptr;
  };
  EXPECT_EQ(said(table.for_each_unit(life.self, visit, &seen)), "");
  EXPECT_EQ(seen, "firstsecond");
  const auto refuse = [](void*, const sz_update_unit* unit) { return the_offer.make_error(SZ_CORRUPT, unit->name); };
  EXPECT_EQ(taken(table.for_each_unit(life.self, refuse, nullptr)),
            std::pair(sz_code(SZ_CORRUPT), std::string("first")));

  const auto fill = [](void*, const sz_export_piece* piece) -> sz_error* {
    piece->data[0] = 42;
    return nullptr;
  };
  EXPECT_EQ(said(table.import_pieces(life.self, fill, nullptr)), "");
  EXPECT_EQ(static_cast<Recorder*>(life.self)->value, 42);
  EXPECT_EQ(live_errors, 0);
}

TEST(Residency, GradientFactsKeepTheCallersSize) {
  FakeHost fake;
  Life life(entered<Recorder, sz::Residency>(), fake);
  sz_gradient_facts facts = {};
  facts.struct_size = sizeof(facts);
  EXPECT_EQ(said(life.extension<sz_residency>(SZ_RESIDENCY).gradient_facts(life.self, &facts)), "");
  EXPECT_EQ(facts.struct_size, sizeof(facts));
  EXPECT_EQ(facts.sum_squares, 2.5);
  EXPECT_EQ(facts.first_non_finite_parameter, -1);
}

// A service belongs to a plugin, whose entry has been called: only then can it make errors.
class Services : public testing::Test {
 protected:
  void SetUp() override { entered<Halving, sz::Precision>(); }
};

TEST_F(Services, OptimizerAndScheduleAndPacing) {
  struct Descent : sz::Optimizer {
    void update(const sz_update_unit& unit, const sz_step_scalars& scalars) override {
      const auto* gradient = static_cast<const float*>(unit.gradient);
      for (int64_t i = 0; i < unit.numel; ++i) unit.master[i] -= float(scalars.lr * scalars.multiplier) * gradient[i];
    }
  } descent;
  static constexpr const char* kNoState[] = {nullptr};
  const auto given = descent.provided(kNoState, true);
  const auto& optimizer = *static_cast<const sz_optimizer*>(given.table);
  float master[] = {1, 2}, gradient[] = {4, 8};
  sz_update_unit unit = {};
  unit.numel = 2;
  unit.master = master;
  unit.gradient = gradient;
  const sz_step_scalars scalars = {sizeof(scalars), 0, 1, 0.5, 0.25};
  EXPECT_EQ(optimizer.element_wise, 1u);
  EXPECT_EQ(said(optimizer.update(given.object, &unit, &scalars)), "");
  EXPECT_EQ(master[0], 0.5f);
  EXPECT_EQ(master[1], 1.0f);

  struct Linear : sz::Schedule {
    double factor(const sz_progress& p) const override { return 1 - double(p.step) / double(p.total_steps); }
  } linear;
  const sz_progress progress = {sizeof(progress), 0, 25, 100, 0, 1, 0};
  double factor = 0;
  const auto scheduled = linear.provided();
  EXPECT_EQ(said(static_cast<const sz_schedule*>(scheduled.table)->factor(scheduled.object, &progress, &factor)), "");
  EXPECT_EQ(factor, 0.75);

  struct Careful : sz::Pacing {
    Move pace(const sz_pacing_signals& signals) override {
      if (signals.batch_loss_std < 1) return {signals.threshold};
      return {signals.threshold - 0.05, "losses spread"};
    }
  } careful;
  const auto paced = careful.provided();
  const auto& pacing = *static_cast<const sz_pacing*>(paced.table);
  sz_pacing_signals signals = {};
  signals.threshold = 0.5;
  double threshold = 0;
  const char* cause = "";
  EXPECT_EQ(said(pacing.pace(paced.object, &signals, &threshold, &cause)), "");
  EXPECT_EQ(threshold, 0.5);
  EXPECT_EQ(cause, nullptr);
  signals.batch_loss_std = 2;
  EXPECT_EQ(said(pacing.pace(paced.object, &signals, &threshold, &cause)), "");
  EXPECT_EQ(threshold, 0.45);
  EXPECT_STREQ(cause, "losses spread");
}

TEST_F(Services, Source) {
  struct Words : sz::Source {
    int64_t vocabulary() const noexcept override { return 10; }
    int64_t count(sz_split split) const noexcept override { return split == SZ_TRAIN ? 2 : 1; }
    sz_sample_info info(sz_split, int64_t sample) const override { return {0, 0, sample, 0, 2, 1}; }
    void read(sz_split, int64_t sample, int64_t* ids, int64_t*, float*) const override { ids[1] = sample; }
    std::string text(sz_split, int64_t sample) const override {
      if (sample > 1) throw sz::Error(SZ_DATA_BAD, "no such sample");
      return "词";
    }
  } words;
  static constexpr const char* kLanguages[] = {"zh", nullptr};
  const auto given = words.provided(kLanguages);
  const auto& source = *static_cast<const sz_source*>(given.table);
  EXPECT_EQ(source.count(given.object, SZ_TRAIN), 2);
  sz_sample_info info = {};
  info.struct_size = sizeof(info);
  EXPECT_EQ(said(source.info(given.object, SZ_TRAIN, 1, &info)), "");
  EXPECT_EQ(info.struct_size, sizeof(info));
  EXPECT_EQ(info.document, 1);
  int64_t ids[2] = {}, labels[2] = {};
  float mask[2] = {};
  EXPECT_EQ(said(source.read(given.object, SZ_TRAIN, 1, ids, labels, mask)), "");
  EXPECT_EQ(ids[1], 1);
  std::string text;
  const sz_sink sink = {&text, [](void* context, const void* data, uint64_t size) -> sz_error* {
                          static_cast<std::string*>(context)->append(static_cast<const char*>(data), size);
                          return nullptr;
                        }};
  EXPECT_EQ(said(source.text(given.object, SZ_TRAIN, 1, &sink)), "");
  EXPECT_EQ(text, "词");
  EXPECT_EQ(taken(source.text(given.object, SZ_TRAIN, 2, &sink)).first, SZ_DATA_BAD);
}

TEST_F(Services, SegmentWithABackward) {
  struct Identity : sz::SegmentWithBackward {
    mutable uint64_t seen = 0;
    void forward(const sz_segment_context&, sz_tensors parameters, sz_tensors, sz_tensor_list*,
                 sz_tensor_list*) const override {
      seen = parameters.count;
    }
    void backward(const sz_segment_context&, sz_tensors, sz_tensors, sz_tensors, sz_tensors grad_outputs,
                  sz_tensor_list*, sz_tensor_list*) const override {
      seen = 10 + grad_outputs.count;
    }
  } identity;
  const sz_segment_context context = {};
  const sz_tensors none = {0, nullptr}, three = {3, nullptr};
  void* segment = sz::as_object(identity);
  EXPECT_EQ(said(identity.table()->forward(segment, &context, three, none, nullptr, nullptr)), "");
  EXPECT_EQ(identity.seen, 3u);
  EXPECT_EQ(said(identity.table()->backward(segment, &context, none, none, none, three, nullptr, nullptr)), "");
  EXPECT_EQ(identity.seen, 13u);
}

TEST_F(Services, Loss) {
  struct Refusing : sz::Loss {
    void compute(sz_tensor*, sz_tensors, sz_tensor*, sz_tensor*, bool want_gradients, sz_tensor_list*) const override {
      throw sz::Error(SZ_USAGE, want_gradients ? "with" : "without");
    }
  } refusing;
  const sz_tensors none = {0, nullptr};
  const auto lost = refusing.provided();
  EXPECT_EQ(said(static_cast<const sz_loss*>(lost.table)->compute(lost.object, nullptr, none, nullptr, nullptr, 1,
                                                                  nullptr)),
            "with");
}

}  // namespace
}  // namespace sz_test
