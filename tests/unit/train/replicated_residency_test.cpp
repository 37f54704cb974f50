// The replicated residency: sums over users, micro-batches and ranks; norms; units; the stable state.
#include "ops/dtypes.h"
#include "train/replicated_residency.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/initialise.h"
#include "unit/train/training.h"

namespace sz::test {
namespace {

ModelDeclaration declared() {
  ModelOptions options{.type = "GPT-2", .layers = 1, .width = 6, .heads = 2, .context = 5, .vocabulary = 11};
  return make_gpt2()->declare(options, make_cross_entropy());
}

std::unique_ptr<Residency> built(const ModelDeclaration& model, Communicator& comm, DtypePlan plan = {}) {
  Residency::Setup setup;
  setup.model = &model;
  setup.dtypes = std::move(plan);
  setup.dtypes.parameters.resize(model.parameters.size());
  setup.dtypes.segments.resize(model.segments.size());
  setup.comm = &comm;
  setup.seed = 9;
  setup.optimizer_states = {"exp_avg"};
  auto residency = make_replicated_residency({});
  residency->build(setup);
  return residency;
}

// Gradients that are `value` everywhere.
TensorList constant(const ModelDeclaration& model, int segment, double value) {
  TensorList list;
  for (const int p : model.segments[size_t(segment)].parameters) {
    list.push_back(at::full(model.parameters[size_t(p)].shape, value, at::kFloat));
  }
  return list;
}

void backward(Residency& residency, const ModelDeclaration& model, int micro_batches, double value) {
  residency.begin_step();
  for (int m = 0; m < micro_batches; ++m) {
    for (int s = int(model.segments.size()) - 1; s >= 0; --s) {
      residency.accumulate(s, m, m + 1 == micro_batches, constant(model, s, value));
    }
  }
  residency.finish_gradients();
}

// Gradient of every element, by parameter.
std::map<int, std::vector<float>> gradients(Residency& residency) {
  std::map<int, std::vector<float>> found;
  residency.for_each_unit([&](UpdateUnit& unit) {
    const at::Tensor all = at::from_blob(const_cast<void*>(unit.gradient), {unit.numel}, to_torch(unit.gradient_dtype))
                               .to(at::kFloat)
                               .clone();
    const float* const data = all.const_data_ptr<float>();
    for (const ParamRange& range : unit.ranges) {
      found[range.parameter] = {data + range.unit_offset, data + range.unit_offset + range.count};
    }
  });
  return found;
}

TEST(ReplicatedResidency, SharedParametersSumOverTheirUsers) {
  const ModelDeclaration model = declared();
  const auto comm = make_single_communicator();
  const auto residency = built(model, *comm);
  for (int step = 0; step < 2; ++step) {  // nothing of the step before is left
    backward(*residency, model, 3, 0.5);
    for (const auto& [p, values] : gradients(*residency)) {
      const double expected = model.parameters[size_t(p)].name == "embedding.token" ? 3.0 : 1.5;
      for (const float v : values) ASSERT_EQ(v, expected) << model.parameters[size_t(p)].name;
    }
  }
}

TEST(ReplicatedResidency, ParametersWithoutAGradientHaveZero) {
  const ModelDeclaration model = declared();
  const auto comm = make_single_communicator();
  const auto residency = built(model, *comm);
  backward(*residency, model, 1, 1.0);
  residency->begin_step();
  for (int s = int(model.segments.size()) - 1; s >= 0; --s) {
    residency->accumulate(s, 0, true, TensorList(model.segments[size_t(s)].parameters.size()));
  }
  residency->finish_gradients();
  for (const auto& [p, values] : gradients(*residency)) {
    for (const float v : values) ASSERT_EQ(v, 0.0f);
  }
}

// Over three ranks each element counts once, the tied one as well, and padding never.
TEST(ReplicatedResidency, TheNormCountsEveryElementOnce) {
  const ModelDeclaration model = declared();
  std::mutex mutex;
  double squares = 0;
  run_thread_ranks(3, [&](Communicator& comm) {
    set_intra_op_threads(1);
    const auto residency = built(model, comm);
    backward(*residency, model, 1, 0.5);
    const GradientFacts facts = residency->gradient_facts();
    EXPECT_EQ(facts.non_finite, 0);
    EXPECT_EQ(facts.first_non_finite_parameter, -1);
    const std::lock_guard lock(mutex);
    squares += facts.sum_squares;
  });
  const int64_t table = model.parameters[0].numel();
  const double expected = 2.25 * double(model.parameter_count() - table) + 9.0 * double(table);  // 3 ranks x 0.5
  EXPECT_DOUBLE_EQ(squares, expected);
}

// The plan's dtypes for sums over micro-batches and for what travels, as any residency keeps them.
TEST(ReplicatedResidency, GradientsAreSummedAndSentInThePlansDtypes) {
  const ModelDeclaration model = declared();
  const std::vector<DType> all = {DType::kF32, DType::kF16, DType::kBF16};
  for (const DType sums : all) {
    for (const DType wire : all) {
      DtypePlan plan;
      plan.parameters.resize(model.parameters.size());
      for (size_t p = 0; p < model.parameters.size(); ++p) {
        if (model.parameters[p].role == Role::kMatrix) {
          plan.parameters[p].accumulate = sums;
          plan.parameters[p].wire = wire;
        }
      }
      const auto expected = [&](bool matrix) {
        at::Tensor local = at::full({}, 1.0 / 3, at::kFloat).to(to_torch(matrix ? sums : DType::kF32));
        local.add_(at::full({}, 1.0 / 3, at::kFloat)).add_(at::full({}, 1.0 / 3, at::kFloat));
        const at::ScalarType travels = to_torch(matrix ? wire : DType::kF32);
        const at::Tensor sent = local.to(travels).to(at::kFloat);
        return (sent + sent).to(travels).to(local.scalar_type()).to(at::kFloat).item<float>();
      };
      const float of_matrices = expected(true), of_others = expected(false);
      run_thread_ranks(2, [&](Communicator& comm) {
        set_intra_op_threads(1);
        const auto residency = built(model, comm, plan);
        for (int step = 0; step < 2; ++step) {
          backward(*residency, model, 3, 1.0 / 3);
          residency->for_each_unit([&](UpdateUnit& unit) {
            EXPECT_EQ(reinterpret_cast<uintptr_t>(unit.gradient) % 64, 0u) << unit.name;
            const bool matrix = model.parameters[size_t(unit.ranges[0].parameter)].role == Role::kMatrix;
            EXPECT_EQ(unit.gradient_dtype, matrix ? sums : DType::kF32);
          });
          for (const auto& [p, values] : gradients(*residency)) {
            const ParameterDeclaration& d = model.parameters[size_t(p)];
            if (d.name == "embedding.token") continue;  // has two users
            for (const float v : values) {
              ASSERT_EQ(v, d.role == Role::kMatrix ? of_matrices : of_others)
                  << d.name << " in " << name_of(sums) << ", " << name_of(wire);
            }
          }
        }
      });
    }
  }
}

TEST(ReplicatedResidency, TheNormCoversGradientsOfEveryDtype) {
  const ModelDeclaration model = declared();
  DtypePlan plan;
  plan.parameters.resize(model.parameters.size());
  const int up = model.find_parameter("block.0.mlp.up.weight"), down = model.find_parameter("block.0.mlp.down.weight");
  plan.parameters[size_t(up)].accumulate = DType::kBF16;
  plan.parameters[size_t(down)].accumulate = DType::kF16;
  std::mutex mutex;
  double squares = 0;
  std::vector<int> first;
  run_thread_ranks(2, [&](Communicator& comm) {
    set_intra_op_threads(1);
    const auto residency = built(model, comm, plan);
    backward(*residency, model, 1, 0.5);
    const double own = residency->gradient_facts().sum_squares;
    backward(*residency, model, 1, 1e30);  // beyond fp16 alone
    const GradientFacts facts = residency->gradient_facts();
    const std::lock_guard lock(mutex);
    squares += own;
    if (facts.non_finite > 0) first.push_back(facts.first_non_finite_parameter);
  });
  const int64_t table = model.parameters[0].numel();
  EXPECT_DOUBLE_EQ(squares, double(model.parameter_count() - table) + 4.0 * double(table));
  ASSERT_FALSE(first.empty());
  for (const int p : first) EXPECT_EQ(p, down);
}

// A parameter that was tied away, as zero3_async_io has it: kept and saved, but no one's to update.
TEST(ReplicatedResidency, AParameterThatNoSegmentTakesIsKept) {
  ModelDeclaration model = declared();
  const int spare = int(model.parameters.size());
  model.parameters.push_back({"spare", {7, 3}, Role::kMatrix, Init::kNormal, 0.02, true, true});
  std::vector<float> initial(21);
  initialise(model.parameters[size_t(spare)], 9, 0, 21, initial.data());
  std::mutex mutex;
  std::vector<std::string> states;
  std::vector<float> kept(21);
  run_thread_ranks(2, [&](Communicator& comm) {
    set_intra_op_threads(1);
    const auto residency = built(model, comm);
    backward(*residency, model, 1, 1.0);
    EXPECT_EQ(gradients(*residency).count(spare), 0u);
    EXPECT_EQ(residency->gradient_facts().non_finite, 0);
    residency->mark_stable();
    residency->restore();
    const std::lock_guard lock(mutex);
    residency->export_pieces([&](const ExportPiece& piece) {
      if (piece.parameter != "spare") return;
      states.push_back(piece.state);
      std::copy(piece.data, piece.data + (piece.end - piece.begin), kept.begin() + piece.begin);
    });
  });
  EXPECT_EQ(kept, initial);
  ASSERT_FALSE(states.empty());
  for (const std::string& state : states) EXPECT_EQ(state, "master");
}

TEST(ReplicatedResidency, NonFiniteElementsAreCountedAndNamed) {
  const ModelDeclaration model = declared();
  const auto comm = make_single_communicator();
  const auto residency = built(model, *comm);
  const int up = model.find_parameter("block.0.mlp.up.bias"), qkv = model.find_parameter("block.0.attention.qkv.bias");
  residency->begin_step();
  for (int s = int(model.segments.size()) - 1; s >= 0; --s) {
    TensorList list = constant(model, s, 1.0);
    for (size_t i = 0; i < list.size(); ++i) {
      const int p = model.segments[size_t(s)].parameters[i];
      if (p == up) list[i][3] = std::numeric_limits<float>::infinity();
      if (p == qkv) list[i][0] = list[i][1] = std::numeric_limits<float>::quiet_NaN();
    }
    residency->accumulate(s, 0, true, list);
  }
  residency->finish_gradients();
  const GradientFacts facts = residency->gradient_facts();
  EXPECT_EQ(facts.non_finite, 3);
  EXPECT_EQ(facts.first_non_finite_parameter, std::min(up, qkv));
}

TEST(ReplicatedResidency, FrozenParametersAreNoOnesUnit) {
  ModelDeclaration model = declared();
  const int frozen = model.find_parameter("embedding.position");
  model.parameters[size_t(frozen)].trainable = false;
  const auto comm = make_single_communicator();
  const auto residency = built(model, *comm);
  EXPECT_FALSE(residency->acquire(0, Mode::kTrain)[1].requires_grad());
  EXPECT_TRUE(residency->acquire(0, Mode::kTrain)[0].requires_grad());
  backward(*residency, model, 1, 1.0);
  EXPECT_EQ(gradients(*residency).count(frozen), 0u);
  std::vector<std::string> states;
  residency->export_pieces([&](const ExportPiece& piece) {
    if (piece.parameter == "embedding.position") states.push_back(piece.state);
  });
  EXPECT_EQ(states, (std::vector<std::string>{"master"}));
}

// Units are aligned, hold the parameters' values, and a mirror follows its master.
TEST(ReplicatedResidency, UnitsAreAlignedAndMirrorsFollow) {
  const ModelDeclaration model = declared();
  DtypePlan plan;
  plan.parameters.resize(model.parameters.size());
  for (size_t p = 0; p < model.parameters.size(); ++p) {
    if (model.parameters[p].role == Role::kMatrix) plan.parameters[p].compute = DType::kBF16;
  }
  const auto comm = make_single_communicator();
  const auto residency = built(model, *comm, plan);
  int mirrored = 0;
  residency->for_each_unit([&](UpdateUnit& unit) {
    for (const void* data : {static_cast<const void*>(unit.master), unit.gradient, static_cast<const void*>(unit.state[0])}) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 64, 0u) << unit.name;
    }
    mirrored += unit.mirror != nullptr;
    for (const ParamRange& range : unit.ranges) {
      std::vector<float> expected(static_cast<size_t>(range.count));
      initialise(model.parameters[size_t(range.parameter)], 9, 0, range.count, expected.data());
      for (int64_t i = 0; i < range.count; ++i) ASSERT_EQ(unit.master[range.unit_offset + i], expected[size_t(i)]);
    }
  });
  EXPECT_EQ(mirrored, 2);
  const at::Tensor weight = residency->acquire(1, Mode::kTrain)[2];
  EXPECT_EQ(weight.scalar_type(), at::kBFloat16);
  residency->import_pieces([](const ExportPiece& piece) { std::fill(piece.data, piece.data + (piece.end - piece.begin), 3.0f); });
  EXPECT_TRUE(weight.eq(3).all().item<bool>());  // the same tensor, recast
}

TEST(ReplicatedResidency, RestoresWhatWasStable) {
  const ModelDeclaration model = declared();
  const auto comm = make_single_communicator();
  const auto residency = built(model, *comm);
  const auto add = [&](float amount) {
    residency->for_each_unit([&](UpdateUnit& unit) {
      for (int64_t i = 0; i < unit.numel; ++i) unit.master[i] += amount, unit.state[0][i] += amount;
    });
  };
  const auto all = [&] {
    Arrays arrays;
    export_into(*residency, arrays);
    return arrays;
  };
  add(1);
  residency->mark_stable();
  const Arrays stable = all();
  add(2);
  EXPECT_GT(relative_difference(stable, all()), 0.1);
  residency->restore();
  expect_identical(stable, all());
}

}  // namespace
}  // namespace sz::test
