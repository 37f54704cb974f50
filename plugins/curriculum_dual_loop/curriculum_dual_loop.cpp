// The plugin: owns the slot `sampler`, gives the built-in pacings, and hands the run's facts to the lessons.
#include <limits>
#include <memory>
#include <optional>

#include <sz/decisions.hpp>
#include <sz/events.hpp>
#include <sz/metrics.hpp>
#include <sz/plugin.hpp>
#include <sz/run.hpp>
#include <sz/sampler.hpp>

#include "copies.h"
#include "difficulty.h"
#include "keys.h"
#include "lessons.h"
#include "number_text.h"
#include "perturb.h"

namespace curriculum {
namespace {

constexpr const char* kName = "curriculum_dual_loop";

// What amp_o2 tells of a jump; empty for an event that doesn't.
Cause described(const sz_event& event) {
  const auto sigma = sz::number_in(event.fields, event.field_count, "sigma");
  const auto from = sz::number_in(event.fields, event.field_count, "scale_from");
  const auto to = sz::number_in(event.fields, event.field_count, "scale_to");
  if (!sigma || !from || !to) return {};
  const std::string scale = number(*from) + " -> " + number(*to);
  return {"gradient variance jumped (sigma " + number(*sigma) + "), scale " + scale,
          "梯度方差突增（sigma " + number(*sigma) + "），损失缩放 " + scale};
}

class CurriculumDualLoop : public sz::Plugin, public sz::Observer, public sz::Sampler, public sz::Stateful {
 public:
  static sz::Descriptor describe();
  static std::string check(sz::Host host, const sz_check& run);

  explicit CurriculumDualLoop(sz::Host host) : Plugin(host) {}
  void start() override;
  sz::Provided provide(std::string_view service, std::string_view name) override;

  void setup(const sz_sampler_setup& setup) override;
  std::string initial_state() override { return SamplerState{}.encode(); }
  Planned plan(std::string_view state) override;
  void transform(const sz_plan_item& item, const sz_sample_tokens& sample) override;

  void on(const sz_hook_info& info) override;

  std::string save_state() const override { return lessons_->save(); }
  void load_state(std::string_view bytes, uint32_t) override { lessons_->load(bytes); }

 private:
  void make_buckets(const std::vector<double>& validation_difficulty);
  Lessons::Pace chosen_pacing();
  void run_begins();
  void step_ends(const sz_hook_info& info);
  void evaluation_ends(const sz_eval_result& eval);
  void tell();

  Settings settings_;
  Tuning tuning_;
  std::vector<std::pair<std::string, std::unique_ptr<sz::Pacing>>> pacings_;
  int64_t global_batch_ = 1;
  std::vector<int32_t> bucket_of_validation_;
  std::vector<std::string> bucket_names_;
  std::optional<Lessons> lessons_;
  bool resumed_ = false;
  std::optional<sz::Config> config_;
  std::optional<sz::Run> run_;
  std::optional<sz::Data> data_;
  std::optional<sz::Decisions> decisions_;
  std::optional<sz::Metrics> metrics_;
  std::optional<sz::State> state_;
  std::optional<sz::Events> events_;
};

sz::Descriptor CurriculumDualLoop::describe() {
  sz::Descriptor descriptor =
      sz::Descriptor(kName, "1.0.0")
          .licence("Apache-2.0")
          .summary("easy samples first; two control loops pace how fast it gets harder", "由易到难；内外两个控制环决定难度提升的速度")
          .slot("sampler")
          .hook({SZ_RUN_BEGIN, SZ_STATE_LOADED, SZ_EPOCH_BEGIN, SZ_STEP_END, SZ_EVAL_BEGIN, SZ_EVAL_END, SZ_EPOCH_END})
          .state(SZ_STATE_CHECKPOINT_AND_ROLLBACK);
  for (const std::string& name : pacing_names()) descriptor = std::move(descriptor).give(SZ_PACING, name);
  return with_keys(std::move(descriptor));
}

std::string CurriculumDualLoop::check(sz::Host host, const sz_check& run) {
  const sz::Config config(host);
  const RunLength length{run.steps_per_epoch, run.total_steps, config.get_int("train.epochs")};
  const Warning warning = loops_cannot_act(read_settings(config), length);
  if (warning.en.empty()) return "";
  const bool chinese = config.has("log.language") && config.get_string("log.language") == "zh";
  return (chinese ? warning.zh : warning.en) + "\n";
}

void CurriculumDualLoop::start() {
  config_.emplace(host());
  settings_ = read_settings(*config_);
  run_.emplace(host());
  data_.emplace(host());
  decisions_.emplace(host());
  metrics_.emplace(host());
  state_.emplace(host());
  events_.emplace(host());
  events_->subscribe("gradient_instability", [this](const sz_event& event) {
    lessons_->instability(event.plugin, described(event));
    tell();
  });
  for (const std::string& name : pacing_names()) pacings_.emplace_back(name, make_pacing(name, settings_, tuning_));
}

sz::Provided CurriculumDualLoop::provide(std::string_view, std::string_view name) {
  for (auto& [own, pacing] : pacings_) {
    if (own == name) return pacing->provided();
  }
  return {};
}

// Whoever paces is found by name, like any other provider.
Lessons::Pace CurriculumDualLoop::chosen_pacing() {
  const auto pacing = sz::Services(host()).find<sz_pacing>(SZ_PACING, settings_.strategy.c_str());
  return [pacing](const sz_pacing_signals& signals) {
    sz::Pacing::Move move{signals.threshold};
    const char* cause = nullptr;
    sz::check(pacing->pace(pacing.object, &signals, &move.threshold, &cause));
    if (cause != nullptr) move.cause = cause;
    return move;
  };
}

void CurriculumDualLoop::setup(const sz_sampler_setup& setup) {
  global_batch_ = setup.global_batch;
  Lessons::Data data;
  data.languages = languages_of(*data_, SZ_TRAIN);
  data.global_batch = setup.global_batch;
  data.seed = setup.seed;
  Difficulties difficulties;
  if (settings_.strategy == "none") {
    difficulties = {std::vector<double>(size_t(setup.samples)),
                    std::vector<double>(size_t(data_->count(SZ_VALIDATION)))};
  } else {
    difficulties = score_data(host(), settings_, data.languages, languages_of(*data_, SZ_VALIDATION));
  }
  data.difficulty = std::move(difficulties.train);
  make_buckets(difficulties.validation);
  lessons_.emplace(settings_, tuning_, std::move(data), chosen_pacing());
}

void CurriculumDualLoop::make_buckets(const std::vector<double>& validation_difficulty) {
  for (int64_t b = 0; b < settings_.buckets; ++b) bucket_names_.push_back("bucket_" + std::to_string(b));
  for (const double difficulty : validation_difficulty) {
    bucket_of_validation_.push_back(bucket_of(difficulty, int(settings_.buckets)));
  }
}

CurriculumDualLoop::Planned CurriculumDualLoop::plan(std::string_view state) {
  SamplerState next = SamplerState::decode(state);
  Planned planned;
  for (const Item& item : lessons_->pool().plan(next, lessons_->mixture(), global_batch_)) {
    const uint32_t transform = item.kind == Kind::kPerturbed ? uint32_t(perturbation_of(item.seed)) : 0;
    planned.items.push_back({item.sample, item.position, transform, uint32_t(item.kind), item.seed});
  }
  planned.next_state = next.encode();
  return planned;
}

void CurriculumDualLoop::transform(const sz_plan_item& item, const sz_sample_tokens& sample) {
  const std::string_view text = data_->text(SZ_TRAIN, item.sample);
  const std::vector<int64_t> tokens = data_->encode(perturb(text, Perturbation(item.transform), item.seed));
  put_tokens(sample, tokens, data_->info(SZ_TRAIN, item.sample).offset == 0);
}

void CurriculumDualLoop::on(const sz_hook_info& info) {
  switch (info.hook) {
    case SZ_RUN_BEGIN: run_begins(); break;
    case SZ_STATE_LOADED: resumed_ = true; break;
    case SZ_EPOCH_BEGIN:
      if (!std::exchange(resumed_, true)) lessons_->begin();
      break;
    case SZ_STEP_END: step_ends(info); break;
    case SZ_EVAL_BEGIN: run_->set_eval_groups(bucket_names_, bucket_of_validation_); break;
    case SZ_EVAL_END: evaluation_ends(*info.eval); break;
    case SZ_EPOCH_END: lessons_->epoch_end(info.step, info.attempt, info.epoch); break;
    default: break;
  }
  tell();
}

void CurriculumDualLoop::run_begins() {
  const sz_run_info run = run_->describe();
  const Warning warning = loops_cannot_act(settings_, {run.steps_per_epoch, run.total_steps, 0});
  if (warning.en.empty()) return;
  decisions_->record({.what = "loops_cannot_act", .cause = warning.en, .text_en = warning.en, .text_zh = warning.zh});
}

// Skipped and rolled back attempts say nothing: only what was applied counts.
void CurriculumDualLoop::step_ends(const sz_hook_info& info) {
  if (info.facts == nullptr || info.step != info.facts->step + 1) return;
  std::vector<int64_t> samples;
  std::vector<double> losses;
  std::vector<Kind> kinds;
  for (uint64_t i = 0; i < info.plan_count && i < info.facts->sample_count; ++i) {
    if (info.plan[i].transform != 0) continue;  // a perturbed copy says nothing of the sample itself
    samples.push_back(info.plan[i].sample);
    losses.push_back(info.facts->samples[i].loss / info.facts->samples[i].tokens);
    kinds.push_back(Kind(info.plan[i].flags));
  }
  const sz_run_info run = run_->describe();
  lessons_->step({info.step, info.attempt, info.epoch, run.total_steps, run.steps_per_epoch, samples, losses,
                   kinds});
  metrics_->publish("threshold", lessons_->mixture().threshold);
  metrics_->publish("loss_std", lessons_->batch().deviation());
  metrics_->publish("loss_std_error", lessons_->batch().error());
}

void CurriculumDualLoop::evaluation_ends(const sz_eval_result& eval) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Validation validation{std::vector<double>(bucket_names_.size(), nan), std::vector<double>(bucket_names_.size(), nan),
                        eval.total.correct / eval.total.tokens};
  for (uint64_t g = 0; g < eval.group_count; ++g) {
    for (size_t b = 0; b < bucket_names_.size(); ++b) {
      if (eval.group_names[g] != std::string(kName) + "." + bucket_names_[b]) continue;
      validation.loss[b] = eval.groups[g].loss / eval.groups[g].tokens;
      validation.accuracy[b] = eval.groups[g].correct / eval.groups[g].tokens;
    }
  }
  if (eval.total.tokens > 0) lessons_->validated(validation);
}

void CurriculumDualLoop::tell() {
  for (const Note& note : lessons_->take_notes()) {
    sz::Decision decision{.what = note.what, .cause = note.cause, .text_en = note.en, .text_zh = note.zh};
    if (note.from) decision.from = *note.from;
    if (note.to) decision.to = *note.to;
    for (const auto& [name, value] : note.fields) decision.fields.push_back({name, value});
    decisions_->record(decision);
  }
  if (lessons_->take_changed()) state_->changed();
}

}  // namespace
}  // namespace curriculum

using curriculum::CurriculumDualLoop;
SZ_REGISTER_PLUGIN(CurriculumDualLoop, sz::Observer, sz::Sampler, sz::Stateful)
