// What segments hold and cost: expected from the shapes of their parameters, and measured in the first steps.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "budget.h"
#include "policy.h"

namespace recompute {

// From a segment's matrices [out, in] alone. A product keeps its input, and its output unless it is the segment's
// last; forming a segment again is its forward products, a third of the segment's time.
struct Expected {
  double bytes_a_token = 0;    // activations of fp32 that a kept segment holds beside its output
  double flops_a_token = 0;    // of a forward pass
};
struct MatrixShape {
  int64_t out = 0, in = 0;
};
Expected expect(const std::vector<MatrixShape>& matrices);

// Of what was seen, for each kind of segment and level: medians of bytes, lower quartiles of times, since what else runs
// on the machine can only add to a time. Both count for a token of the micro-batch's rectangle, since rectangles differ
// in size.
class Costs {
 public:
  explicit Costs(std::vector<std::string> kinds) : kinds_(std::move(kinds)) {}

  void saw_forward(int segment, Keep keep, double tokens, double bytes, double microseconds);
  void saw_backward(int segment, Keep keep, double tokens, double microseconds);
  // Running forward again: bytes that came to life, and the time.
  void saw_recompute(int segment, double tokens, double bytes, double microseconds);

  // For a micro-batch of so many tokens. Levels that were not seen cost what the next dearer one does.
  SegmentCost cost(int segment, double tokens, bool has_cheap) const;
  // Of what `keep` gives back: bytes, and microseconds of backward; negative where not measured.
  double given_back(int segment, Keep keep, double tokens) const;
  double microseconds(int segment, Keep keep, double tokens) const;
  double held(int segment, Keep keep, double tokens) const;
  // Forward and backward of one segment, at whatever level was seen.
  double micro_batch_microseconds(int segment, double tokens) const;

 private:
  struct Seen {
    std::vector<double> bytes, forward, backward;  // a token
  };
  struct Kind {
    Seen at[3];
    std::vector<double> again_bytes, again_time;
  };
  const Kind* find(int segment) const;

  std::vector<std::string> kinds_;
  std::map<std::string, Kind> seen_;
};

double median(std::vector<double> values);          // -1 of none
double lower_quartile(std::vector<double> values);  // -1 of none

}  // namespace recompute
