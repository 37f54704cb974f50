// Spoils the first parameter gradient of one segment at given attempts, on one rank or all: for tests of what a
// precision plugin makes of it.
#include <ATen/core/Tensor.h>
#include <ATen/ops/mul.h>

#include <limits>
#include <optional>

#include <sz/around.hpp>
#include <sz/comm.hpp>
#include <sz/config.hpp>
#include <sz/plugin.hpp>
#include <sz/run.hpp>
#include <sz/torch.hpp>

namespace {

class BadGradient : public sz::Plugin, public sz::Around, public sz::Observer {
 public:
  static sz::Descriptor describe() {
    return sz::Descriptor("test_bad_gradient", "1.0.0")
        .licence("Apache-2.0")
        .summary("spoils gradients")
        .need(SZ_NEED_INTERFACE, SZ_TORCH)
        .hook({SZ_STEP_BEGIN, SZ_SEGMENT_BACKWARD})
        .key({.name = "segment", .type = SZ_KEY_STRING, .default_toml = "\"block.0.mlp\"", .help = "by name"})
        .key({.name = "first", .type = SZ_KEY_INT, .default_toml = "1", .help = "attempt"})
        .key({.name = "last", .type = SZ_KEY_INT, .default_toml = "1000000000", .help = "attempt"})
        .key({.name = "rank", .type = SZ_KEY_INT, .default_toml = "-1", .help = "-1: all"})
        .key({.name = "micro_batch", .type = SZ_KEY_INT, .default_toml = "-1", .help = "-1: all"})
        .key({.name = "kind", .type = SZ_KEY_STRING, .default_toml = "\"inf\"", .help = "of spoiling",
              .choices = {"inf", "nan", "times"}})
        .key({.name = "factor", .type = SZ_KEY_FLOAT, .default_toml = "1000", .help = "of kind times"});
  }

  explicit BadGradient(sz::Host host) : Plugin(host) {}

  void start() override {
    const sz::Config config(host());
    segment_ = config.get_string("segment");
    first_ = config.get_int("first");
    last_ = config.get_int("last");
    micro_batch_ = config.get_int("micro_batch");
    kind_ = config.get_string("kind");
    factor_ = config.get_float("factor");
    const int64_t rank = config.get_int("rank");
    mine_ = rank < 0 || rank == sz::Comm(host()).rank();
    torch_.emplace(host());
    calls_.emplace(host());
  }

  void on(const sz_hook_info& info) override {
    attempt_ = info.attempt;
    seen_ = 0;
  }

  void segment_backward(sz_segment_call* call, const sz::Next& next) override {
    next();
    if (segment_ != calls_->describe(call).segment_name) return;
    const int64_t micro_batch = seen_++;
    if (!mine_ || attempt_ < first_ || attempt_ > last_ || (micro_batch_ >= 0 && micro_batch != micro_batch_)) return;
    const at::Tensor good = (*torch_)(calls_->get(call, SZ_CALL_GRAD_PARAMETERS, 0));
    calls_->set(call, SZ_CALL_GRAD_PARAMETERS, 0, torch_->wrap(spoiled(good)).handle());
  }

 private:
  at::Tensor spoiled(const at::Tensor& good) const {
    if (kind_ == "inf") return good.mul(std::numeric_limits<double>::infinity());
    if (kind_ == "nan") return good.mul(std::numeric_limits<double>::quiet_NaN());
    return good.mul(factor_);
  }

  std::string segment_, kind_;
  int64_t first_ = 0, last_ = 0, micro_batch_ = -1, attempt_ = 0, seen_ = 0;
  double factor_ = 1;
  bool mine_ = true;
  std::optional<sz::Torch> torch_;
  std::optional<sz::Calls> calls_;
};

}  // namespace

SZ_REGISTER_PLUGIN(BadGradient, sz::Around, sz::Observer)
