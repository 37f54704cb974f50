#include "train/evaluator.h"

#include <algorithm>
#include <chrono>

#include "train/exchange.h"

namespace sz {

namespace {

// Where not all are taken, evenly over the split: its documents stand in the order of the files, language by language.
int64_t sample_at(size_t place, size_t taken, int64_t count) {
  return int64_t(place) * count / int64_t(taken);
}

}  // namespace

EvalGrouping language_grouping(std::shared_ptr<const Source> source, Split split) {
  EvalGrouping grouping;
  grouping.name = "language";
  grouping.groups = source->languages();
  grouping.group_of = [source, split](int64_t sample) { return int(source->info(split, sample).language); };
  return grouping;
}

Evaluator::Evaluator(const TrainOptions& options, TrainParts& parts, SegmentRunner& runner, int64_t max_samples)
    : options_(options), parts_(parts), runner_(runner), max_samples_(max_samples) {}

EvalResult Evaluator::run(const RunState& state, int64_t epoch) {
  const auto start = std::chrono::steady_clock::now();
  HookInfo at;
  at.step = state.step;
  at.attempt = state.attempt;
  at.epoch = epoch;
  at.mode = Mode::kEvaluate;
  at.hook = Hook::kEvalBegin;
  parts_.hooks->fire(at);
  const int64_t count = parts_.source->count(Split::kValidation);
  EvalResult result = summarise(outcomes(at, max_samples_ > 0 ? std::min(count, max_samples_) : count));
  result.step = state.step;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  at.hook = Hook::kEvalEnd;
  at.eval = &result;
  parts_.hooks->fire(at);
  return result;
}

// Deals the samples to ranks as one long plan, so that all run the same number of micro-batches, and sums every
// sample's outcome over ranks: each rank fills its own.
std::vector<SampleOutcome> Evaluator::outcomes(HookInfo at, int64_t samples) {
  Plan plan(static_cast<size_t>(samples));
  const int64_t count = parts_.source->count(Split::kValidation);
  for (size_t i = 0; i < plan.size(); ++i) plan[i].sample = sample_at(i, plan.size(), count);
  const Slicing slicing{options_.micro_batch, parts_.comm->size(), parts_.comm->rank()};
  std::vector<SampleOutcome> outcomes(plan.size());
  at.micro_batches = int(micro_batch_count(samples, slicing));
  for (int m = 0; m < at.micro_batches; ++m) {
    const MicroBatch batch =
        make_micro_batch(*parts_.source, Split::kValidation, plan, slice_of(samples, slicing, m));
    at.micro_batch = m;
    at.batch = &batch;
    at.hook = Hook::kBatchReady;
    parts_.hooks->fire(at);
    const PassOutput out = runner_.forward(at, batch, batch.mask, Mode::kEvaluate);
    add_outcomes(batch, out.token_loss.const_data_ptr<float>(), out.token_correct.const_data_ptr<uint8_t>(), outcomes);
  }
  static_assert(sizeof(SampleOutcome) == 3 * sizeof(double));
  parts_.comm->all_reduce(Channel::kScalar, outcomes.data(), 3 * outcomes.size(), DType::kF64)->wait();
  return outcomes;
}

EvalResult Evaluator::summarise(const std::vector<SampleOutcome>& outcomes) const {
  EvalResult result;
  double loss = 0, correct = 0;
  for (const SampleOutcome& outcome : outcomes) {
    loss += outcome.loss;
    correct += outcome.correct;
    result.tokens += outcome.tokens;
  }
  result.loss = loss / result.tokens;
  result.accuracy = correct / result.tokens;
  const int64_t count = parts_.source->count(Split::kValidation);
  for (const EvalGrouping& grouping : parts_.services->groupings) {
    std::vector<GroupResult> groups;
    for (const std::string& group : grouping.groups) groups.push_back({grouping.name, group, 0, 0, 0});
    for (size_t i = 0; i < outcomes.size(); ++i) {
      const int g = grouping.group_of(sample_at(i, outcomes.size(), count));
      if (g < 0) continue;
      groups[g].loss += outcomes[i].loss;
      groups[g].tokens += outcomes[i].tokens;
      groups[g].correct += outcomes[i].correct;
    }
    for (GroupResult& group : groups) {
      if (group.tokens > 0) result.groups.push_back(std::move(group));
    }
  }
  return result;
}

}  // namespace sz
