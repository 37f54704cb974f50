#include "train/reporter.h"

#include <cmath>
#include <utility>

#include "base/format.h"
#include "base/log.h"
#include "ops/allocator.h"

namespace sz {
namespace {

// "gradient_zscore.z" is plotted among those of "gradient_zscore".
std::string tag_of(std::string name) {
  const size_t dot = name.find('.');
  if (dot != std::string::npos) name[dot] = '/';
  return name;
}

}  // namespace

// printf would write a NaN's sign.
std::string progress_text(double loss, double tokens_per_s) {
  return (std::isnan(loss) ? "loss nan" : format("loss %.3f", loss)) + format("  %.0f tokens/s", tokens_per_s);
}

Reporter::Reporter(const TrainOptions& options, TrainParts& parts, int64_t total_steps, int64_t first_step)
    : parts_(parts) {
  if (parts.comm->rank() != 0 || !options.progress) return;
  ProgressOptions progress;
  progress.start = first_step;
  progress_ = std::make_unique<Progress>("training", total_steps, progress);
}

void Reporter::attempt(const RunState& state, int64_t epoch, const AttemptResult& result) {
  const StepFacts& facts = result.facts;
  const double tokens_per_s = result.seconds > 0 ? double(facts.tokens) / result.seconds : 0.0;
  const auto published = parts_.services->metrics.take();
  if (parts_.metrics) {
    std::vector<std::pair<std::string, Scalar>> line = {
        {"step", state.step},          {"attempt", state.attempt},
        {"epoch", epoch},              {"verdict", std::string(name_of(result.decision.verdict))},
        {"loss", facts.loss},          {"lr", result.lr},
        {"grad_norm", facts.grad_norm}, {"clip", result.clip_factor},
        {"scale", facts.scale},        {"tokens", facts.tokens},
        {"tokens_per_s", tokens_per_s}, {"seconds", result.seconds},
        {"cpu_seconds", result.cpu_seconds}, {"memory_bytes", allocator_stats().peak_bytes}};
    for (const auto& [name, value] : published) line.emplace_back(name, value);
    parts_.metrics->write(line);
  }
  if (parts_.tensorboard) plot(state, result, tokens_per_s, published);
  reset_peak();
  if (progress_) progress_->update(state.step, progress_text(facts.loss, tokens_per_s));
}

// TensorBoard's axis is the step. An attempt that was not applied stands in a curve of its own, at the step that it
// would have been, the first of several there: so no step stands twice, and a loss that is not a number is seen.
void Reporter::plot(const RunState& state, const AttemptResult& result, double tokens_per_s,
                    const std::vector<std::pair<std::string, double>>& published) {
  const Verdict verdict = result.decision.verdict;
  if (verdict == Verdict::kRollBack) parts_.tensorboard->take_back(state.step + 1);
  if (verdict != Verdict::kApply) {
    const int64_t tried = result.facts.step + 1;
    if (std::exchange(plotted_bad_, tried) == tried) return;
    parts_.tensorboard->write(tried, {{"train/loss_of_bad_attempts", result.facts.loss}});
    return;
  }
  plotted_bad_ = -1;
  TensorBoardLog::Values values = {{"train/loss", result.facts.loss},
                                   {"train/lr", result.lr},
                                   {"train/grad_norm", result.facts.grad_norm},
                                   {"train/clip", result.clip_factor},
                                   {"train/scale", result.facts.scale},
                                   {"train/tokens_per_s", tokens_per_s},
                                   {"train/memory_bytes", double(allocator_stats().peak_bytes)}};
  for (const auto& [name, value] : published) values.emplace_back(tag_of(name), value);
  parts_.tensorboard->write(state.step, values);
}

void Reporter::evaluation(const RunState& state, int64_t epoch, const EvalResult& result) {
  const auto published = parts_.services->metrics.take();
  if (parts_.comm->rank() != 0) return;
  std::string text = format("evaluation at step %.0f: loss %.4f", double(state.step), result.loss) +
                     format(", accuracy %.3f (%.0f tokens)", result.accuracy, result.tokens);
  for (const GroupResult& group : result.groups) {
    text += "; " + group.group + format(" loss %.4f accuracy %.3f", group.mean_loss(), group.accuracy());
  }
  log::info(text);
  if (!parts_.metrics) return;
  std::vector<std::pair<std::string, Scalar>> line = {{"event", std::string("evaluation")},
                                                      {"step", state.step},
                                                      {"attempt", state.attempt},
                                                      {"epoch", epoch},
                                                      {"eval_loss", result.loss},
                                                      {"eval_accuracy", result.accuracy},
                                                      {"eval_tokens", int64_t(result.tokens)},
                                                      {"seconds", result.seconds}};
  for (const GroupResult& group : result.groups) {
    const std::string stem = "eval_" + group.grouping + "_" + group.group;
    line.emplace_back(stem + "_loss", group.mean_loss());
    line.emplace_back(stem + "_accuracy", group.accuracy());
    line.emplace_back(stem + "_tokens", int64_t(group.tokens));
  }
  for (const auto& [name, value] : published) line.emplace_back(name, value);
  parts_.metrics->write(line);
  if (!parts_.tensorboard) return;
  TensorBoardLog::Values values = {{"eval/loss", result.loss}, {"eval/accuracy", result.accuracy}};
  for (const GroupResult& group : result.groups) {
    const std::string stem = "eval/" + group.grouping + "_" + group.group;
    values.emplace_back(stem + "_loss", group.mean_loss());
    values.emplace_back(stem + "_accuracy", group.accuracy());
  }
  for (const auto& [name, value] : published) values.emplace_back(tag_of(name), value);
  parts_.tensorboard->write(state.step, values);
}

void Reporter::finish(const RunState& state, bool all) {
  if (!progress_) return;
  const std::string step = "step " + std::to_string(state.step);
  all ? progress_->finish(step) : progress_->stop(step);
}

}  // namespace sz
