// Wraps segments with LibTorch: forward without a graph and with its first parameter doubled, backward by running
// forward again, and negates the gradient of the first parameter. `misbehave` breaks the rules in one way or another;
// `save_level` asks the segment to keep less.
#include <ATen/core/Tensor.h>
#include <ATen/ops/mul.h>

#include <optional>
#include <string>

#include <sz/around.hpp>
#include <sz/config.hpp>
#include <sz/plugin.hpp>
#include <sz/torch.hpp>

namespace {

class TestWrapper : public sz::Plugin, public sz::Around {
 public:
  static sz::Descriptor describe() {
    return sz::Descriptor("test_wrapper", "1.0.0")
        .licence("Apache-2.0")
        .summary("wraps segments")
        .need(SZ_NEED_INTERFACE, SZ_TORCH)
        .hook({SZ_SEGMENT_FORWARD})
        .hook({SZ_SEGMENT_BACKWARD})
        .key({.name = "misbehave", .type = SZ_KEY_STRING, .default_toml = "\"\"", .help = "how",
              .choices = {"", "no_next", "twice", "throw", "late_set"}})
        .key({.name = "save_level", .type = SZ_KEY_INT, .default_toml = "0", .help = "asked for in forward", .min = 0,
              .max = 100});
  }

  explicit TestWrapper(sz::Host host) : Plugin(host) {}

  void start() override {
    misbehave_ = sz::Config(host()).get_string("misbehave");
    save_level_ = uint32_t(sz::Config(host()).get_int("save_level"));
    torch_.emplace(host());
    calls_.emplace(host());
  }

  void segment_forward(sz_segment_call* call, const sz::Next& next) override {
    if (misbehave_ == "throw") throw sz::Error(SZ_DATA_BAD, "it was told to throw");
    if (misbehave_ == "no_next") return;
    calls_->set_keep_graph(call, false);
    calls_->set_save_level(call, save_level_);
    double_first(call);
    next();
    if (misbehave_ == "twice") next();
    if (misbehave_ == "late_set") double_first(call);
  }

  void segment_backward(sz_segment_call* call, const sz::Next& next) override {
    calls_->forward_again(call);
    next();
    const at::Tensor gradient = (*torch_)(calls_->get(call, SZ_CALL_GRAD_PARAMETERS, 0));
    calls_->set(call, SZ_CALL_GRAD_PARAMETERS, 0, torch_->wrap(gradient.mul(-1)).handle());
  }

 private:
  void double_first(sz_segment_call* call) {
    const at::Tensor first = (*torch_)(calls_->get(call, SZ_CALL_PARAMETERS, 0));
    calls_->set(call, SZ_CALL_PARAMETERS, 0, torch_->wrap(first.mul(2)).handle());
  }

  std::string misbehave_;
  uint32_t save_level_ = 0;
  std::optional<sz::Torch> torch_;
  std::optional<sz::Calls> calls_;
};

}  // namespace

SZ_REGISTER_PLUGIN(TestWrapper, sz::Around)
