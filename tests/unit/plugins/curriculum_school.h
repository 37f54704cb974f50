// A run's lessons without a run around them: a data set, losses that are a function of the sample, and steps.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "curriculum_dual_loop/keys.h"
#include "curriculum_dual_loop/lessons.h"

namespace curriculum {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// A run of `samples` in two languages with a batch of 8, paced by the built-in strategies.
struct School {
  Settings settings;
  Tuning tuning;
  std::unique_ptr<sz::Pacing> pacing;
  std::unique_ptr<Lessons> lessons;
  SamplerState state;
  int64_t step = 0, total_steps = 1000, steps_per_epoch = 10;
  std::function<double(int64_t)> loss = [](int64_t) { return 2.0; };
  std::vector<Note> notes;
  int changes = 0;

  explicit School(const std::function<void(Settings&)>& set, int64_t samples = 100, int64_t batch = 8) {
    settings.inner_every = 10;
    set(settings);
    pacing = make_pacing(settings.strategy, settings, tuning);
    Lessons::Data data;
    for (int64_t i = 0; i < samples; ++i) {
      data.difficulty.push_back(double(i / 2 + 1) / double((samples + 1) / 2));
      data.languages.push_back(int32_t(i % 2));
    }
    data.global_batch = batch;
    data.seed = 5;
    lessons = std::make_unique<Lessons>(settings, tuning, data, [this](const auto& s) { return pacing->pace(s); });
    collect();
  }

  void collect() {
    for (Note& note : lessons->take_notes()) notes.push_back(std::move(note));
    changes += lessons->take_changed();
  }
  std::vector<Item> run_step() {
    const auto items = lessons->pool().plan(state, lessons->mixture(), 8);
    std::vector<int64_t> samples;
    std::vector<double> losses;
    std::vector<Kind> kinds;
    for (const Item& item : items) {
      kinds.push_back(item.kind);
      samples.push_back(item.sample);
      losses.push_back(loss(item.sample));
    }
    ++step;
    lessons->step({step, step, (step - 1) / steps_per_epoch, total_steps, steps_per_epoch, samples, losses, kinds});
    collect();
    return items;
  }
  void run(int64_t steps) {
    for (int64_t i = 0; i < steps; ++i) run_step();
  }
  void end_epoch(double accuracy, std::vector<double> buckets = {}) {
    buckets.resize(size_t(settings.buckets), accuracy);
    lessons->validated({std::vector<double>(size_t(settings.buckets), 1.0), buckets, accuracy});
    lessons->epoch_end(step, step, step / steps_per_epoch);
    collect();
  }
  double threshold() const { return lessons->mixture().threshold; }
  std::vector<Note> of(const std::string& what) const {
    std::vector<Note> found;
    for (const Note& note : notes) {
      if (note.what == what) found.push_back(note);
    }
    return found;
  }
};

inline double spread_out(int64_t sample) { return double(sample % 7); }  // standard deviation about 2

}  // namespace curriculum
