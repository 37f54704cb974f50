// Asks the run to stop when the validation loss has not improved for `patience` evaluations.
#include <limits>
#include <optional>

#include <sz/config.hpp>
#include <sz/decisions.hpp>
#include <sz/metrics.hpp>
#include <sz/plugin.hpp>
#include <sz/run.hpp>
#include <sz/state.hpp>

namespace {

class EarlyStop : public sz::Plugin, public sz::Observer, public sz::Stateful {
 public:
  static sz::Descriptor describe() {
    return sz::Descriptor("early_stop", "1.0.0")
        .licence("Apache-2.0")
        .summary("stops a run whose validation loss no longer falls", "验证损失不再下降时停止训练")
        .hook({SZ_EVAL_END})
        .state(SZ_STATE_CHECKPOINT)
        .key({.name = "patience", .type = SZ_KEY_INT, .default_toml = "3", .help = "evaluations without improvement",
              .min = 1, .max = 1000})
        .key({.name = "min_improvement", .type = SZ_KEY_FLOAT, .default_toml = "0.0", .help = "less doesn't count",
              .unit = "nat", .min = 0, .max = 10});
  }

  explicit EarlyStop(sz::Host host) : Plugin(host) {}

  void start() override {
    const sz::Config config(host());
    patience_ = config.get_int("patience");
    min_improvement_ = config.get_float("min_improvement");
    metrics_.emplace(host());
    decisions_.emplace(host());
    run_.emplace(host());
  }

  void on(const sz_hook_info& info) override {
    const double loss = info.eval->total.loss / info.eval->total.tokens;
    if (loss < tally_.best - min_improvement_) {
      tally_ = {loss, 0};
    } else {
      ++tally_.without_improvement;
    }
    metrics_->publish("without_improvement", double(tally_.without_improvement));
    if (tally_.without_improvement == patience_) ask_to_stop(loss);
  }

  std::string save_state() const override { return {reinterpret_cast<const char*>(&tally_), sizeof(tally_)}; }
  void load_state(std::string_view bytes, uint32_t) override {
    if (bytes.size() != sizeof(tally_)) throw sz::Error(SZ_CORRUPT, "early_stop: its saved state has a wrong size");
    bytes.copy(reinterpret_cast<char*>(&tally_), sizeof(tally_));
  }

 private:
  void ask_to_stop(double loss) {
    decisions_->record({.what = "stop", .cause = "validation loss no longer falls", .from = tally_.best, .to = loss,
                        .fields = {{"evaluations", patience_}}});
    run_->request(SZ_REQUEST_STOP, "validation loss no longer falls");
  }

  struct Tally {
    double best = std::numeric_limits<double>::infinity();
    int64_t without_improvement = 0;
  };

  int64_t patience_ = 0;
  double min_improvement_ = 0;
  Tally tally_;
  std::optional<sz::Metrics> metrics_;
  std::optional<sz::Decisions> decisions_;
  std::optional<sz::Run> run_;
};

}  // namespace

SZ_REGISTER_PLUGIN(EarlyStop, sz::Observer, sz::Stateful)
