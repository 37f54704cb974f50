#include "optim/adamw.h"

#include <ATen/Parallel.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/error.h"
#include "ops/cpu.h"
#include "optim/make_optimizer.h"

namespace sz {
namespace {

DType dtype_of(at::ScalarType t) {
  return t == at::kHalf ? DType::kF16 : t == at::kBFloat16 ? DType::kBF16 : DType::kF32;
}

// Tensors behind one unit.
struct State {
  at::Tensor master, m, v, mirror;

  State clone() const { return {master.clone(), m.clone(), v.clone(), mirror.defined() ? mirror.clone() : mirror}; }
  bool operator==(const State& o) const {
    return at::equal(master, o.master) && at::equal(m, o.m) && at::equal(v, o.v) &&
           (!mirror.defined() || at::equal(mirror, o.mirror));
  }
};

State make_state(int64_t n, std::optional<at::ScalarType> mirror = {}) {
  const at::Tensor master = at::randn({n});
  return {master, at::randn({n}), at::randn({n}).square(), mirror ? at::zeros({n}, *mirror) : at::Tensor()};
}

// The unit of elements [first, first + n).
UpdateUnit unit_of(State& s, const at::Tensor& gradient, bool decay, int64_t first, int64_t n) {
  UpdateUnit unit;
  unit.name = "test";
  unit.numel = n;
  unit.master = s.master.mutable_data_ptr<float>() + first;
  unit.gradient = static_cast<const char*>(gradient.const_data_ptr()) + first * int64_t(gradient.element_size());
  unit.gradient_dtype = dtype_of(gradient.scalar_type());
  unit.state = {s.m.mutable_data_ptr<float>() + first, s.v.mutable_data_ptr<float>() + first};
  if (s.mirror.defined()) {
    unit.mirror = static_cast<char*>(s.mirror.data_ptr()) + first * int64_t(s.mirror.element_size());
    unit.mirror_dtype = dtype_of(s.mirror.scalar_type());
  }
  unit.decay = decay;
  return unit;
}

const AdamWParams kParams{0.9, 0.95, 1e-8, 0.1};
const StepScalars kStep{7, 1e-2, 0.25};

void update(State& s, const at::Tensor& gradient, bool decay = true, const StepScalars& step = kStep) {
  UpdateUnit unit = unit_of(s, gradient, decay, 0, gradient.numel());
  make_adamw(kParams)->update(unit, step);
}

// The formula of the paper in double, one element.
void reference_step(double& master, double& m, double& v, double gradient, bool decay, const StepScalars& s) {
  const double g = gradient * s.multiplier;
  m = kParams.beta1 * m + (1 - kParams.beta1) * g;
  v = kParams.beta2 * v + (1 - kParams.beta2) * g * g;
  const double m_hat = m / (1 - std::pow(kParams.beta1, double(s.step)));
  const double v_hat = v / (1 - std::pow(kParams.beta2, double(s.step)));
  if (decay) master -= s.lr * kParams.weight_decay * master;
  master -= s.lr * m_hat / (std::sqrt(v_hat) + kParams.eps);
}

class AdamWOnIsa : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (GetParam() > best_isa()) GTEST_SKIP() << "this CPU lacks " << name_of(GetParam());
    set_isa(GetParam());
  }
  void TearDown() override { set_isa(best_isa()); }
};

INSTANTIATE_TEST_SUITE_P(All, AdamWOnIsa, testing::Values(Isa::kScalar, Isa::kAvx2, Isa::kAvx512),
                         [](const auto& info) { return name_of(info.param); });

TEST_P(AdamWOnIsa, AgreesWithTheFormulaInDouble) {
  for (bool decay : {false, true}) {
    for (auto dtype : {at::kFloat, at::kHalf, at::kBFloat16}) {
      const int64_t n = 1003;
      const at::Tensor gradient = at::randn({n}).to(dtype);
      State s = make_state(n);
      const at::Tensor master = s.master.to(at::kDouble), m = s.m.to(at::kDouble), v = s.v.to(at::kDouble);
      const at::Tensor wide = gradient.to(at::kDouble);
      update(s, gradient, decay);
      for (int64_t i = 0; i < n; ++i) {
        double &p = master.mutable_data_ptr<double>()[i], &pm = m.mutable_data_ptr<double>()[i];
        double& pv = v.mutable_data_ptr<double>()[i];
        reference_step(p, pm, pv, wide.const_data_ptr<double>()[i], decay, kStep);
        ASSERT_NEAR(s.master.const_data_ptr<float>()[i], p, 1e-6 * (1 + std::abs(p)));
        ASSERT_NEAR(s.m.const_data_ptr<float>()[i], pm, 1e-6);
        ASSERT_NEAR(s.v.const_data_ptr<float>()[i], pv, 1e-6 * (1 + pv));
      }
    }
  }
}

TEST_P(AdamWOnIsa, SameBitsAsScalarForEveryDtype) {
  for (auto gradient_dtype : {at::kFloat, at::kHalf, at::kBFloat16}) {
    for (auto mirror : {at::kFloat, at::kHalf, at::kBFloat16}) {
      const at::Tensor gradient = at::randn({517}).to(gradient_dtype);
      const State start = make_state(517, mirror);
      State here = start.clone(), scalar = start.clone();
      set_isa(GetParam());
      update(here, gradient);
      set_isa(Isa::kScalar);
      update(scalar, gradient);
      EXPECT_TRUE(here == scalar);
    }
  }
}

TEST_P(AdamWOnIsa, AnySplitAndAnyThreadsGiveTheSameBits) {
  const int64_t n = 70000;
  const at::Tensor gradient = at::randn({n}).to(at::kBFloat16);
  const State start = make_state(n, at::kHalf);
  State whole = start.clone();
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  update(whole, gradient);
  at::set_num_threads(3);
  State parallel = start.clone();
  update(parallel, gradient);
  at::set_num_threads(threads);
  EXPECT_TRUE(whole == parallel);
  State pieces = start.clone();
  for (int64_t first = 0, length = 1; first < n; first += length, length = length * 3 % 1009 + 1) {
    UpdateUnit unit = unit_of(pieces, gradient, true, first, std::min(length, n - first));
    make_adamw(kParams)->update(unit, kStep);
  }
  EXPECT_TRUE(whole == pieces);
}

TEST(AdamW, AgreesWithLibTorch) {
  const int64_t n = 1000;
  const AdamWParams params{0.9, 0.999, 1e-8, 0.1};
  const at::Tensor master = at::randn({n});
  State s{master, at::zeros({n}), at::zeros({n}), {}};
  at::Tensor p = master.clone(), m = at::zeros({n}), v = at::zeros({n}), steps = at::zeros({});
  const auto optimizer = make_adamw(params);
  for (int64_t step = 1; step <= 20; ++step) {
    const at::Tensor gradient = at::randn({n});
    UpdateUnit unit = unit_of(s, gradient, true, 0, n);
    optimizer->update(unit, {step, 1e-3, 1.0});
    steps.add_(1);
    at::_fused_adamw_({p}, {gradient}, {m}, {v}, {}, {steps}, 1e-3, 0.9, 0.999, 0.1, 1e-8, false, false);
  }
  EXPECT_LT((s.master.sub(p)).abs().max().item<float>(), 1e-6);
  EXPECT_LT((s.m.sub(m)).abs().max().item<float>(), 1e-6);
  EXPECT_LT((s.v.sub(v)).abs().max().item<float>(), 1e-6);
}

TEST(AdamW, MirrorIsTheRoundedMaster) {
  for (auto dtype : {at::kHalf, at::kBFloat16, at::kFloat}) {
    State s = make_state(333, dtype);
    update(s, at::randn({333}));
    EXPECT_TRUE(at::equal(s.mirror, s.master.to(dtype)));
  }
}

TEST(AdamW, PaddingStaysZero) {
  State s{at::zeros({40}), at::zeros({40}), at::zeros({40}), {}};
  update(s, at::zeros({40}));
  EXPECT_TRUE(at::equal(s.master, at::zeros({40})));
}

TEST(AdamW, NothingBeyondTheUnitIsTouched) {
  State s = make_state(64, at::kHalf);
  const State before = s.clone();
  const at::Tensor gradient = at::randn({64});
  UpdateUnit unit = unit_of(s, gradient, true, 16, 21);
  make_adamw(kParams)->update(unit, kStep);
  for (const auto& [a, b] : {std::pair{s.master, before.master}, std::pair{s.m, before.m}, std::pair{s.v, before.v},
                             std::pair{s.mirror, before.mirror}}) {
    EXPECT_TRUE(at::equal(a.narrow(0, 0, 16), b.narrow(0, 0, 16)));
    EXPECT_TRUE(at::equal(a.narrow(0, 37, 27), b.narrow(0, 37, 27)));
    EXPECT_FALSE(at::equal(a.narrow(0, 16, 21), b.narrow(0, 16, 21)));
  }
}

TEST(AdamW, ParametersOutOfRangeAreUsageErrors) {
  EXPECT_THROW(make_adamw({1.0, 0.95, 1e-8, 0}), Error);
  EXPECT_THROW(make_adamw({0.9, -0.1, 1e-8, 0}), Error);
  EXPECT_THROW(make_adamw({0.9, 0.95, 0, 0}), Error);
  EXPECT_THROW(make_adamw({0.9, 0.95, 1e-8, std::nan("")}), Error);
}

TEST(MakeOptimizer, ByName) {
  const auto optimizer = make_optimizer("AdamW", {});
  EXPECT_EQ(optimizer->name(), "AdamW");
  EXPECT_TRUE(optimizer->element_wise());
  EXPECT_EQ(optimizer->state_names(), (std::vector<std::string>{"exp_avg", "exp_avg_sq"}));
  try {
    make_optimizer("Adagrad", {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::kUsage);
    EXPECT_NE(std::string(e.what()).find("AdamW"), std::string::npos);
  }
}

}  // namespace
}  // namespace sz
