// What segments hold and cost: expected from the shapes of their parameters, and measured in the first steps.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "budget.h"
#include "policy.h"

namespace recompute {

// What a segment is made of, as its parameters tell.
struct MatrixShape {
  int64_t out = 0, in = 0;
};
struct SegmentShape {
  std::vector<MatrixShape> products = {};  // in the order in which they are taken
  int64_t norm = 0;                        // width of its norm; 0: none
  int64_t table = 0;                       // width of the rows that it looks up; 0: none
};

// What each level (an index: Keep) should give back for a token, and what forming that again should cost. By the names
// of the levels: cheap are a norm's output and the activation of a product's output; costly are products' outputs, and
// inputs that are neither, such as attention's result. The last product's output is the segment's own, and stays.
struct Expected {
  double elements[3] = {};    // given back, of the dtype in which products are formed
  double statistics[3] = {};  // given back, of fp32: a norm's mean and deviation
  double flops[3] = {};       // to form them again
  double forward_flops = 0;   // of the whole segment; backward takes twice as many

  double given_back(Keep keep, double element_bytes) const {
    return elements[int(keep)] * element_bytes + statistics[int(keep)] * 4;
  }
};
Expected expect(const SegmentShape& shape);

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

  // For a micro-batch of so many tokens. Levels that were not seen cost what the next dearer one does, and the dearest
  // then gives nothing back.
  SegmentCost cost(int segment, double tokens, bool has_cheap) const;
  // Of what `keep` gives back: bytes, and microseconds of backward; negative where not measured. Where running again is
  // not seen by itself (in chunks of rows), it costs what backward takes longer than that of a kept segment, and where
  // none was kept what forward takes.
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
