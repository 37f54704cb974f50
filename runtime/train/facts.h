// What all ranks know alike about an attempt, and what they decide from it.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sz {

// Of one sample of the plan, over its real tokens.
struct SampleOutcome {
  double loss = 0, tokens = 0, correct = 0;  // loss: summed over tokens
};

// The same on every rank, bit for bit: sums are taken in fixed rank order in fp64.
struct StepFacts {
  int64_t step = 0, attempt = 0;  // attempt: the one judged; step: applied before it
  double scale = 1;           // loss scale used
  double grad_norm = 0;       // true global norm with the scale taken out, rounded once to fp32; NaN when not finite
  int64_t non_finite = 0;     // gradient elements
  int first_non_finite_parameter = -1;  // index into the model's parameters, lowest over all ranks; -1: none
  int64_t low_entries = 0;    // gradient elements formed in 16 bits, tables left out, over all micro-batches
  int64_t low_zeros = 0;      // of them exactly 0
  double loss = 0;            // mean over the step's real tokens
  int64_t tokens = 0;
  std::vector<SampleOutcome> samples;    // in plan order
  std::map<std::string, double> scalars; // registered by plugins, summed over ranks
  int stop_signal = 0;
  bool save_requested = false, evaluate_requested = false, stop_requested = false;
};

// Severest wins; ties go to load-plan order.
enum class Verdict : uint8_t { kApply = 0, kSkip = 1, kRollBack = 2, kAbort = 3 };
const char* name_of(Verdict verdict);
const char* chinese_name_of(Verdict verdict);

struct Vote {
  Verdict verdict = Verdict::kApply;
  std::string reason, reason_zh;     // English, Chinese (may be empty); both empty for kApply
  std::optional<double> clip;        // global-norm limit; `train.grad_clip`, where set, overrides it
  std::string voter;
  bool keep_data_position = false;   // kRollBack: pass over the data since the stable state instead of repeating it
};

}  // namespace sz
