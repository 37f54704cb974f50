#include "train/hooks.h"

#include <exception>

#include "base/log.h"
#include "base/rng.h"
#include "base/ticks.h"

namespace sz {

const char* name_of(Hook hook) {
  static constexpr const char* kNames[kHookCount] = {
      "RUN_BEGIN",       "MODEL_DECLARED",   "MODEL_BUILT",       "OPTIMIZER_BUILT", "STATE_LOADED",     "EPOCH_BEGIN",
      "STEP_BEGIN",      "BATCH_READY",      "SEGMENT_FORWARD",   "LOSS",            "SEGMENT_BACKWARD", "GRADIENTS_REDUCED",
      "VERDICT",         "OPTIMIZER_STEP",   "STEP_SKIPPED",      "STEP_END",        "EVAL_BEGIN",       "EVAL_END",
      "CHECKPOINT_SAVED", "EPOCH_END",       "RUN_END",           "RUN_FAILED",      "SIGNAL"};
  return kNames[int(hook)];
}

void HookTable::observe(std::shared_ptr<Observer> observer, std::initializer_list<Hook> hooks) {
  uint64_t mask = 0;
  for (const Hook hook : hooks) mask |= uint64_t(1) << int(hook);
  observe(std::move(observer), mask);
}

void HookTable::observe(std::shared_ptr<Observer> observer, uint64_t mask) {
  Entry entry;
  entry.observer = std::move(observer);
  entry.mask = mask;
  entries_.push_back(std::move(entry));
  refresh_mask();
}

void HookTable::wrap(std::shared_ptr<Wrapper> wrapper) { wrappers_.push_back(std::move(wrapper)); }

void HookTable::disable(size_t entry) {
  entries_[entry].disabled = true;
  refresh_mask();
}

namespace {

constexpr uint64_t kTimedFirst = 1024;    // calls
constexpr double kDearSeconds = 1e-6;     // a call: each of those is timed

void call(HookTable::Entry& entry, const HookInfo& info) {
  try {
    entry.observer->on(info);
  } catch (const std::exception& e) {
    entry.failed = true;
    entry.failed_in = name_of(info.hook);
    entry.error = e.what();
    log::warn("plugin " + entry.observer->name() + " failed in " + entry.failed_in + " and is not called again: " +
              entry.error);
  }
}

// Intervals of 9 to 24 calls, by the call's number: a period of the observer's own is not missed.
void choose_next_timed(HookTable::Entry& entry) {
  const bool dear = entry.seconds > kDearSeconds * double(entry.calls);
  entry.untimed = entry.calls < kTimedFirst || dear ? 0 : 8 + uint32_t(mix(entry.calls, 0) % 16);
  entry.stands_for = entry.untimed + 1;
}

void call_timed(HookTable::Entry& entry, const HookInfo& info) {
  static const double tick_seconds = seconds_of_ticks(1);  // well known by the time that a hook fires
  const uint64_t start = ticks();
  call(entry, info);
  entry.seconds += double(ticks() - start) * tick_seconds * entry.stands_for;
  choose_next_timed(entry);
}

}  // namespace

// An observer that has failed here is not called again, though the others hear of it at the next VERDICT only.
void HookTable::call_observers(const HookInfo& info) {
  for (Entry& entry : entries_) {
    if (entry.disabled || entry.failed || !(entry.mask & (uint64_t(1) << int(info.hook)))) continue;
    ++entry.calls;
    if (entry.untimed > 0) {
      --entry.untimed;
      call(entry, info);
    } else {
      call_timed(entry, info);
    }
  }
}

void HookTable::refresh_mask() {
  mask_ = 0;
  for (const Entry& entry : entries_) {
    if (!entry.disabled) mask_ |= entry.mask;
  }
}

}  // namespace sz
