// The order in which a mode runs through the segments: the first pass records it, later ones are foretold by it.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace zero3 {

class Order {
 public:
  enum class Event { kNone, kRecorded, kChanged };

  // Ends the pass before: a recording becomes the order (kRecorded), and so does a pass that ended early (kChanged).
  Event begin_pass();
  // The next segment of the pass. kChanged: another was recorded here; what was known of the rest is dropped, and
  // this pass is recorded anew.
  Event next(int segment);

  // At most `count` segments that come after the last one, as far as is known.
  std::span<const int> upcoming(size_t count) const;
  const std::vector<int>& pass() const { return pass_; }
  int expected() const { return expected_; }  // after kChanged: the recorded segment, -1 behind the end
  uint64_t hash() const;                      // of the pass so far

 private:
  std::vector<int> recorded_, pass_;
  bool following_ = false;
  int expected_ = -1;
};

}  // namespace zero3
