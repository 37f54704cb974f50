// An architecture, a loss and a residency of plugins' making.
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "model/initialise.h"
#include "plugin_host/plugin_services.h"
#include "unit/plugin_host/host_fixture.h"

namespace sz {
namespace {

using testing::HasSubstr;

TEST(PluginArchitecture, DeclaresAndRunsSegmentsInC) {
  TestRun run("[plugins.test_model]\nenabled = true\n");
  run.start();
  const auto loss = run.registry.get<Loss>("sz.loss/1", "squares", "train.loss");
  const auto architecture = run.registry.get<Architecture>("sz.architecture/1", "table", "model.type");
  ModelOptions options;
  options.vocabulary = 5;
  options.width = 2;
  const ModelDeclaration model = architecture->declare(options, loss);
  ASSERT_EQ(model.parameters.size(), 1u);
  EXPECT_EQ(model.parameters[0].shape, (std::vector<int64_t>{5, 2}));
  ASSERT_EQ(model.segments.size(), 2u);

  const at::Tensor table = at::tensor({0., 0., 1., 2., 0., 0., 0., 0., 3., 4.}, at::kFloat).view({5, 2});
  const at::Tensor ids = at::tensor({int64_t(1), int64_t(4)}, at::kLong).view({1, 2});
  const at::Tensor weight = at::full({1, 2}, 0.5, at::kFloat);
  SegmentContext context;
  const Segment& embed = *model.segments[0].segment;
  ASSERT_TRUE(embed.has_backward());
  const TensorList hidden = embed.forward(context, {table}, {ids}, nullptr);
  EXPECT_TRUE(at::equal(hidden[0].view({4}), at::tensor({1., 2., 3., 4.}, at::kFloat)));

  const Segment& last = *model.segments[1].segment;
  TensorList saved;
  const TensorList results = last.forward(context, {table}, {hidden[0], ids, weight}, &saved);
  EXPECT_FLOAT_EQ(results[0].item<float>(), 0.5f * (2.5f + 12.5f));
  const SegmentGradients after = last.backward(context, {table}, {hidden[0], ids, weight}, saved,
                                               {at::ones({}), at::Tensor(), at::Tensor()});
  EXPECT_TRUE(at::equal(after.inputs[0], hidden[0].mul(0.5)));
  const SegmentGradients first = embed.backward(context, {table}, {ids}, {}, {after.inputs[0]});
  EXPECT_FALSE(first.inputs[0].defined());
  EXPECT_TRUE(at::equal(first.parameters[0][4], at::tensor({1.5, 2.}, at::kFloat)));
  EXPECT_TRUE(at::equal(first.parameters[0][0], at::zeros({2})));
}

TEST(PluginArchitecture, SegmentWithoutBackwardNeedsTorch) {
  TestRun run("[plugins.test_model]\nenabled = true\nforget_backward = true\n");
  run.start();
  const auto loss = run.registry.get<Loss>("sz.loss/1", "squares", "train.loss");
  const auto architecture = run.registry.get<Architecture>("sz.architecture/1", "table", "model.type");
  ModelOptions options;
  options.vocabulary = 5;
  try {
    architecture->declare(options, loss);
    FAIL() << "declared";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("bring a backward"));
  }
}

ModelDeclaration two_parameters() {
  ModelDeclaration model;
  model.parameters.push_back({"a", {2, 3}, Role::kMatrix, Init::kNormal, 0.02, true, true});
  model.parameters.push_back({"b", {3}, Role::kBias, Init::kZeros, 0, false, false});
  model.segments.push_back({"first", {0, 1}, nullptr});
  model.head = {"head", {0}, nullptr};
  return model;
}

void check_residency(Communicator& comm, std::atomic<int>& right) {
  TestRun run("[plugins.test_residency]\nenabled = true\n", &comm);
  run.start();
  const ModelDeclaration model = two_parameters();
  Residency& residency = *run.host.residency();
  Residency::Setup setup;
  setup.model = &model;
  setup.dtypes.parameters.resize(2);
  setup.dtypes.segments.resize(1);
  setup.comm = &comm;
  setup.seed = 3;
  setup.optimizer_states = {"exp_avg"};
  residency.build(setup);

  std::vector<float> initial(6);
  initialise(model.parameters[0], 3, 0, 6, initial.data());
  const TensorList held = residency.acquire(0, Mode::kTrain);
  bool good = held.size() == 2 && held[0].requires_grad() && !held[1].requires_grad();
  for (int i = 0; i < 6; ++i) good &= held[0].const_data_ptr<float>()[i] == initial[size_t(i)];

  residency.begin_step();
  residency.accumulate(0, 0, true, {at::full({2, 3}, double(comm.rank() + 1)), at::Tensor()});
  residency.release(0, Mode::kTrain);
  residency.finish_gradients();
  const GradientFacts facts = residency.gradient_facts();  // gradient 1 + 2 = 3 in six elements, half of them mine
  good &= facts.sum_squares == 6 * 9.0 / comm.size() && facts.non_finite == 0;

  residency.mark_stable();
  residency.for_each_unit([&](UpdateUnit& unit) {
    for (int64_t i = 0; i < unit.numel; ++i) unit.master[i] = 100;
    good &= unit.state.size() == 1 && unit.ranges.size() == 1;
  });
  residency.parameters_updated();
  good &= residency.acquire_head()[0].const_data_ptr<float>()[5] == 100 && residency.can_restore();
  residency.restore();
  good &= held[0].const_data_ptr<float>()[5] == initial[5];

  int pieces = 0;
  residency.export_pieces([&](const ExportPiece& piece) { pieces += piece.state == "exp_avg" || piece.end > 0; });
  good &= pieces == (comm.rank() == 0 ? 4 : 0);
  try {
    residency.for_each_unit([](UpdateUnit&) { throw Error(Exit::kExhausted, "full"); });
    good = false;
  } catch (const Error& error) {
    good &= error.exit() == Exit::kExhausted && std::string(error.what()) == "full";
  }
  if (good) ++right;
}

TEST(PluginResidency, OwnsParametersOnTwoRanks) {
  std::atomic<int> right = 0;
  run_thread_ranks(2, [&](Communicator& comm) { check_residency(comm, right); });
  EXPECT_EQ(right, 2);
}

}  // namespace
}  // namespace sz
