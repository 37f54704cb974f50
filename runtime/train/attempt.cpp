#include "train/attempt.h"

#include <chrono>
#include <cmath>
#include <cstring>

#include "base/cpu_time.h"
#include "base/hash.h"
#include "base/signals.h"
#include "train/observer_failures.h"

namespace sz {
namespace {

// A token's weight: its share of the step's mean, times the loss scale.
std::vector<float> token_weights(const MicroBatch& batch, double factor) {
  std::vector<float> weights(batch.mask.size());
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = float(batch.mask[i] * factor);
  return weights;
}

std::string text_of(const Vote& vote) {
  return vote.voter + ": " + name_of(vote.verdict) + " (" + vote.reason + ")";
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Attempt::Attempt(const TrainOptions& options, TrainParts& parts, PlanFeed& feed, SegmentRunner& runner)
    : options_(options), parts_(parts), feed_(feed), runner_(runner) {}

AttemptResult Attempt::run(RunState& state, int64_t epoch) {
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = process_cpu_seconds();
  AttemptResult result;
  HookInfo at;
  at.step = state.step;
  at.attempt = ++state.attempt;
  at.epoch = epoch;
  at.hook = Hook::kStepBegin;
  parts_.hooks->fire(at);

  result.step = feed_.next();
  const PlanFeed::Step& step = result.step;
  ++state.plans;
  at.plan = &step.plan;
  at.micro_batches = step.micro_batches;
  at.global_tokens = step.tokens;
  at.hook = Hook::kBatchReady;
  parts_.hooks->fire(at);

  const double scale = parts_.precision->scale();
  LocalFacts local;
  local.samples.resize(step.plan.size());
  local.state_hash = state_hash(state, step.plan, scale);
  micro_batches(step, at, scale, local);
  result.facts = judge_together(at, local, scale);
  at.facts = &result.facts;
  at.hook = Hook::kVerdict;
  parts_.hooks->fire(at);
  result.decision = decide(result.facts);
  if (result.decision.verdict == Verdict::kApply) {
    apply(at, result.facts, result);
    state.step = at.step + 1;
  } else {
    at.hook = Hook::kStepSkipped;
    at.reason = result.decision.reason.c_str();
    parts_.hooks->fire(at);
  }
  result.seconds = seconds_since(start);
  result.cpu_seconds = process_cpu_seconds() - cpu_start;
  return result;
}

void Attempt::micro_batches(const PlanFeed::Step& step, HookInfo at, double scale, LocalFacts& local) {
  parts_.residency->begin_step();
  for (int m = 0; m < step.micro_batches; ++m) {
    const MicroBatch batch = feed_.next_batch();
    at.micro_batch = m;
    const std::vector<float> weights = token_weights(batch, step.tokens > 0 ? scale / double(step.tokens) : 0.0);
    const PassOutput out = runner_.forward(at, batch, weights, Mode::kTrain);
    add_outcomes(batch, out.token_loss.const_data_ptr<float>(), out.token_correct.const_data_ptr<uint8_t>(),
                 local.samples);
    runner_.backward(at, batch, m + 1 == step.micro_batches);
  }
  parts_.residency->finish_gradients();
  at.micro_batch = -1;
  at.hook = Hook::kGradientsReduced;
  parts_.hooks->fire(at);
}

StepFacts Attempt::judge_together(const HookInfo& at, LocalFacts& local, double scale) {
  local.gradient = parts_.residency->gradient_facts();
  const Underflow underflow = runner_.take_underflow();
  local.low_entries = underflow.entries;
  local.low_zeros = underflow.zeros;
  local.scalars = parts_.services->scalars.values();
  local.signal = stop_signal();
  local.requests = std::exchange(parts_.services->requests, {});
  local.requests.save |= take_save_request();
  for (const HookTable::Entry& entry : parts_.hooks->entries()) local.observer_failed.push_back(entry.failed);
  GlobalFacts global = exchange(local, parts_.services->scalars.names(), scale, *parts_.comm);
  for (double& value : parts_.services->scalars.values()) value = 0;
  global.facts.step = at.step;
  global.facts.attempt = at.attempt;
  last_loss_ = global.facts.loss;
  last_norm_ = global.facts.grad_norm;
  disable_failed(*parts_.hooks, global.observer_failures, {at.step, at.attempt}, *parts_.comm, *parts_.decisions);
  return global.facts;
}

Vote Attempt::decide(const StepFacts& facts) {
  if (facts.tokens == 0) {
    Vote skip;
    skip.verdict = Verdict::kSkip;
    skip.voter = "loop";
    skip.reason = "no token of the step counts: all labels are masked";
    skip.reason_zh = "这一步没有计入损失的词元：所有标签都被屏蔽";
    record(skip, text_of(skip), facts);
    return skip;
  }
  Vote severest = parts_.precision->judge(facts);
  severest.voter = parts_.precision->name();
  std::string all = severest.verdict == Verdict::kApply ? "" : text_of(severest);
  const std::optional<double> clip = severest.clip;
  for (Voter* voter : parts_.voters) {
    Vote vote = voter->vote(facts);
    vote.voter = voter->name();
    if (vote.verdict != Verdict::kApply) all += (all.empty() ? "" : "; ") + text_of(vote);
    if (vote.verdict > severest.verdict) severest = vote;
  }
  severest.clip = options_.grad_clip ? options_.grad_clip : clip;
  if (severest.verdict != Verdict::kApply) record(severest, all, facts);
  return severest;
}

void Attempt::record(const Vote& severest, const std::string& votes, const StepFacts& facts) {
  Decision decision;
  decision.step = facts.step;
  decision.attempt = facts.attempt;
  decision.plugin = severest.voter;
  decision.what = "verdict";
  decision.cause = severest.reason;
  decision.to = std::string(name_of(severest.verdict));
  decision.text_en = severest.voter + ": " + name_of(severest.verdict) + ", " + severest.reason;
  decision.text_zh = severest.voter + "：" + chinese_name_of(severest.verdict) + "，" +
                     (severest.reason_zh.empty() ? severest.reason : severest.reason_zh);
  decision.details["votes"] = votes;
  parts_.decisions->write(decision);
}

void Attempt::apply(HookInfo at, const StepFacts& facts, AttemptResult& result) {
  StepScalars scalars;
  scalars.step = at.step + 1;
  scalars.lr = result.lr = parts_.schedule->lr(scalars.step);
  if (const auto& clip = result.decision.clip; clip && facts.grad_norm > *clip) {
    result.clip_factor = *clip / facts.grad_norm;
  }
  scalars.multiplier = result.clip_factor / facts.scale;
  at.lr = scalars.lr;
  at.hook = Hook::kOptimizerStep;
  parts_.hooks->fire(at);
  optimizer_step(0, at, scalars);
}

void Attempt::optimizer_step(size_t wrapper, const HookInfo& at, const StepScalars& scalars) {
  const auto& wrappers = parts_.hooks->wrappers();
  while (wrapper < wrappers.size() && !wrappers[wrapper]->wraps(Hook::kOptimizerStep)) ++wrapper;
  if (wrapper < wrappers.size()) {
    wrappers[wrapper]->optimizer_step(at, [&, wrapper] { optimizer_step(wrapper + 1, at, scalars); });
    return;
  }
  parts_.residency->for_each_unit([&](UpdateUnit& unit) { parts_.optimizer->update(unit, scalars); });
  parts_.residency->parameters_updated();
}

uint64_t Attempt::state_hash(const RunState& state, const Plan& plan, double scale) const {
  Xxh3 hash;
  const int64_t counters[3] = {state.step, state.attempt, state.plans};
  const double numbers[3] = {scale, last_loss_, last_norm_};
  hash.update(counters, sizeof counters);
  hash.update(numbers, sizeof numbers);
  for (const PlanItem& item : plan) {
    const uint64_t fields[5] = {uint64_t(item.sample), item.position, item.transform, item.flags, item.seed};
    hash.update(fields, sizeof fields);
  }
  hash.update(feed_.consumed_state());
  const uint64_t parameters = parts_.residency->replicated_hash(state.attempt);
  hash.update(&parameters, sizeof parameters);
  return hash.digest_64();
}

}  // namespace sz
