#include "train/trainer.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "train/observer_failures.h"
#include "train/run_checkpoint.h"

namespace sz {

Trainer::Trainer(TrainOptions options, TrainParts parts) : options_(std::move(options)), parts_(std::move(parts)) {
  const int64_t samples = parts_.source->count(Split::kTrain);
  if (samples == 0) throw Error(Exit::kData, "the training split has no samples; lower data.validation or add text");
  plans_per_epoch_ = plans_an_epoch(global_batch());
  parts_.sampler->setup({samples, global_batch(), options_.seed});
}

int64_t Trainer::total_steps() const {
  return options_.steps > 0 ? options_.steps : options_.epochs * plans_per_epoch_;
}

void Trainer::set_journals(MetricsLog* metrics, TensorBoardLog* tensorboard) {
  parts_.metrics = metrics;
  parts_.tensorboard = tensorboard;
}

RunOutcome Trainer::run(const CheckpointReader* resume, const std::function<void()>& ready) {
  try {
    fire(Hook::kRunBegin);
    build(resume);
    if (ready) ready();
    loop();
    feed_.reset();  // its thread may be in the sampler's transform, which ends with the run
    fire(Hook::kRunEnd);
    report_late_failures(*parts_.hooks, {state_.step, state_.attempt}, *parts_.comm, *parts_.decisions);
  } catch (const std::exception& e) {
    fire(Hook::kRunFailed, e.what());
    throw;
  }
  outcome_.state = state_;
  return outcome_;
}

void Trainer::build(const CheckpointReader* resume) {
  fire(Hook::kModelDeclared);
  Residency::Setup setup;
  setup.model = parts_.model;
  setup.dtypes = parts_.precision->plan(*parts_.model);
  setup.comm = parts_.comm;
  setup.seed = options_.seed;
  setup.optimizer_states = parts_.optimizer->state_names();
  setup.optimizer_element_wise = parts_.optimizer->element_wise();
  setup.keep_stable = options_.keep_stable;
  parts_.residency->build(setup);
  fire(Hook::kModelBuilt);
  fire(Hook::kOptimizerBuilt);

  runner_ = std::make_unique<SegmentRunner>(
      SegmentRunner::Parts{parts_.model, parts_.residency, parts_.hooks, setup.dtypes, options_.seed});
  BatchLoaderOptions loading;
  loading.slicing = {options_.micro_batch, parts_.comm->size(), parts_.comm->rank()};
  loading.prefetch = options_.prefetch * options_.accumulation;
  loading.transform = parts_.sampler->transform();
  feed_ = std::make_unique<PlanFeed>(*parts_.sampler, parts_.source, loading, options_.prefetch);
  if (resume) {
    const LoadedRun loaded = load_run(*resume, parts_);
    state_ = loaded.state;
    state_.plans = plans_after(loaded);
    saved_step_ = evaluated_step_ = state_.step;
    feed_->reset(loaded.sampler_state);
    fire(Hook::kStateLoaded);
  }
  attempt_ = std::make_unique<Attempt>(options_, parts_, *feed_, *runner_);
  evaluator_ = std::make_unique<Evaluator>(options_, parts_, *runner_, options_.eval_samples);
  reporter_ = std::make_unique<Reporter>(options_, parts_, total_steps(), state_.step);
  parts_.services->scalars.close();
  mark_stable();
  if (!resume) tell_stable("the run begins", "运行开始");  // a checkpoint's state was told when it was written
}

int64_t Trainer::plans_an_epoch(int64_t global_batch) const {
  return (parts_.source->count(Split::kTrain) + global_batch - 1) / global_batch;
}

// Plans consumed, counted in this run's global batch: a run on another number of ranks goes on at the same sample, in
// the same epoch, with as many plans to its end as the samples left make.
int64_t Trainer::plans_after(const LoadedRun& loaded) const {
  if (loaded.global_batch == global_batch()) return loaded.state.plans;
  const int64_t samples = parts_.source->count(Split::kTrain);
  const int64_t before = plans_an_epoch(loaded.global_batch);
  const int64_t left = samples - loaded.state.plans % before * loaded.global_batch;
  return loaded.state.plans / before * plans_per_epoch_ + plans_per_epoch_ - (left + global_batch() - 1) / global_batch();
}

// A resumed run goes on where its checkpoint stands in the list of hooks: in mid-epoch no epoch begins, and checkpoints
// are written before EPOCH_END, so that where one was due it is still to come.
void Trainer::loop() {
  if (epoch_over()) end_epoch();
  while (!finished()) {
    if (state_.open_epoch < 0) {
      state_.open_epoch = epoch();
      fire(Hook::kEpochBegin);
    }
    step();
    if (!stop_ && epoch_over()) end_epoch();
  }
  if (state_.open_epoch >= 0 && !stop_) end_epoch();
  save_at_end();  // where the loop did not run, or was asked to stop in mid-epoch
  reporter_->finish(state_, at_end());
}

bool Trainer::finished() const { return stop_ || at_end(); }

bool Trainer::at_end() const {
  return options_.steps > 0 ? state_.step >= options_.steps : state_.plans >= options_.epochs * plans_per_epoch_;
}

void Trainer::step() {
  const int64_t epoch_now = epoch();
  const AttemptResult result = attempt_->run(state_, epoch_now);
  switch (result.decision.verdict) {
    case Verdict::kApply: ++state_.good_in_a_row; break;
    case Verdict::kSkip: state_.good_in_a_row = 0; break;
    case Verdict::kRollBack: roll_back(result); break;
    case Verdict::kAbort:
      reporter_->attempt(state_, epoch_now, result);
      diverge(result, " ends the run: " + result.decision.reason);
  }
  parts_.services->events.deliver();
  fire_step_end(result, epoch_now);
  parts_.services->events.deliver();
  reporter_->attempt(state_, epoch_now, result);
  after_step(result);
}

// What is due after a step: evaluation, the stable state, a checkpoint, a wish to stop.
void Trainer::after_step(const AttemptResult& result) {
  const bool applied = result.decision.verdict == Verdict::kApply;
  const auto due = [&](int64_t every) { return applied && every > 0 && state_.step % every == 0; };
  // Before a checkpoint, so that a resumed run need not look back.
  if (due(options_.eval_every) || result.facts.evaluate_requested || epoch_over()) evaluate();
  const bool may_mark = state_.good_in_a_row >= std::min(options_.stable_after, state_.attempt);
  save_due_ |= due(options_.checkpoint_every) || result.facts.save_requested;
  mark_due_ |= due(options_.stable_every) || save_due_;
  if (may_mark && std::exchange(mark_due_, false)) {
    mark_stable();
    tell_stable(std::to_string(state_.good_in_a_row) + " good attempts in a row",
                "连续 " + std::to_string(state_.good_in_a_row) + " 次尝试正常");
  }
  if (may_mark && std::exchange(save_due_, false)) save();
  if (result.facts.stop_signal != 0) stop_on_signal(result.facts.stop_signal);
  stop_ = stop_ || result.facts.stop_requested;
}

// All ranks have decided so: none may leave, and by that abort the others, before all know it themselves. Whoever is
// interrupted in waiting for that knows it already.
void Trainer::diverge(const AttemptResult& result, const std::string& why) {
  try {
    parts_.comm->barrier(Channel::kScalar)->wait();
  } catch (const Error&) {
  }
  throw Error(Exit::kDiverged, "step " + std::to_string(result.facts.step + 1) + ", attempt " +
                                   std::to_string(state_.attempt) + ": " + result.decision.voter + why);
}

void Trainer::roll_back(const AttemptResult& result) {
  if (!parts_.residency->can_restore()) {
    diverge(result, " asks for a roll back (" + result.decision.reason +
                        "), but train.snapshot = \"none\" keeps no state to return to");
  }
  parts_.residency->restore();
  for (Stateful* state : parts_.states) {
    const auto blob = stable_.blobs.find(state->state_id());
    if (blob != stable_.blobs.end()) state->load_state(blob->second, state->state_version());
  }
  Decision decision;
  decision.step = stable_.state.step;
  decision.attempt = state_.attempt;
  decision.plugin = "loop";
  decision.what = "rollback";
  decision.cause = result.decision.reason;
  decision.from = state_.step;
  decision.to = stable_.state.step;
  const std::string from = std::to_string(state_.step), to = std::to_string(stable_.state.step);
  decision.text_en = "rolled back from step " + from + " to the stable state of step " + to + ": " + decision.cause;
  decision.text_zh = "从第 " + from + " 步回滚到第 " + to + " 步的稳定状态：" +
                     (result.decision.reason_zh.empty() ? decision.cause : result.decision.reason_zh);
  parts_.decisions->write(decision);
  state_.step = stable_.state.step;
  if (!result.decision.keep_data_position) {
    state_.plans = stable_.state.plans;
    state_.open_epoch = stable_.state.open_epoch;
    feed_->reset(stable_.sampler_state);
  } else {
    feed_->reset(feed_->consumed_state());
  }
  state_.good_in_a_row = 0;
  evaluated_step_ = stable_.evaluated_step;  // later ones will be reached again, by another way
}

void Trainer::mark_stable() {
  parts_.residency->mark_stable();
  stable_.state = state_;
  stable_.evaluated_step = evaluated_step_;
  stable_.sampler_state = feed_->consumed_state();
  stable_.blobs.clear();
  for (Stateful* state : parts_.states) {
    if (state->scope() == Stateful::Scope::kCheckpointAndRollback) stable_.blobs[state->state_id()] = state->save_state();
  }
}

void Trainer::tell_stable(const std::string& cause, const std::string& cause_zh) {
  if (!parts_.residency->can_restore()) return;
  Decision decision;
  decision.step = state_.step;
  decision.attempt = state_.attempt;
  decision.plugin = "loop";
  decision.what = "stable_state";
  decision.cause = cause;
  decision.to = state_.step;
  const std::string step = std::to_string(state_.step);
  decision.text_en = "step " + step + " is the state that a roll back returns to: " + cause;
  decision.text_zh = "第 " + step + " 步成为回滚所返回的稳定状态：" + cause_zh;
  parts_.decisions->write(decision);
}

void Trainer::evaluate() {
  if (evaluated_step_ == state_.step || parts_.source->count(Split::kValidation) == 0) return;
  evaluated_step_ = state_.step;
  outcome_.eval = evaluator_->run(state_, current_epoch());
  reporter_->evaluation(state_, current_epoch(), outcome_.eval);
  parts_.services->events.deliver();
}

// Checkpoints are the stable state: whoever calls has just marked it.
void Trainer::save() {
  if (options_.checkpoints.empty() || saved_step_ == state_.step) return;
  const std::string path = save_run(options_, parts_, state_, feed_->consumed_state());
  saved_step_ = state_.step;
  fire(Hook::kCheckpointSaved, nullptr, path.c_str());
}

// A run that ends, or is asked to stop, cannot wait for good attempts: what has been applied becomes the stable state.
void Trainer::save_at_end() {
  if (options_.checkpoints.empty() || saved_step_ == state_.step) return;
  mark_stable();
  tell_stable(stop_ ? "the run is asked to stop" : "the run is at its end", stop_ ? "运行被要求停止" : "运行已到终点");
  save();
}

void Trainer::end_epoch() {
  evaluate();
  if (finished()) save_at_end();
  fire(Hook::kEpochEnd);
  state_.open_epoch = -1;
}

void Trainer::stop_on_signal(int signal) {
  stop_ = true;
  outcome_.stop_signal = signal;
  fire(Hook::kSignal, nullptr, nullptr, signal);
}

void Trainer::fire_step_end(const AttemptResult& result, int64_t epoch) {
  HookInfo at;
  at.hook = Hook::kStepEnd;
  at.step = state_.step;
  at.attempt = state_.attempt;
  at.epoch = epoch;
  at.micro_batches = result.step.micro_batches;
  at.global_tokens = result.step.tokens;
  at.plan = &result.step.plan;
  at.facts = &result.facts;
  at.lr = result.lr;
  parts_.hooks->fire(at);
}

void Trainer::fire(Hook hook, const char* reason, const char* path, int signal) {
  if (!parts_.hooks->watched(hook)) return;
  HookInfo at;
  at.hook = hook;
  at.step = state_.step;
  at.attempt = state_.attempt;
  at.epoch = current_epoch();
  at.model = hook == Hook::kModelDeclared || hook == Hook::kModelBuilt ? parts_.model : nullptr;
  at.reason = reason;
  at.path = path;
  at.signal = signal;
  parts_.hooks->fire(at);
}

}  // namespace sz
