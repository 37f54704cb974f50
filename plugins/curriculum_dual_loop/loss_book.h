// The last known loss of every training sample, and which samples are mastered or hard by it.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bytes.h"

namespace curriculum {

class LossBook {
 public:
  // languages: an element a sample; losses are compared within a language, since tokens of one carry more than
  // another's.
  explicit LossBook(std::vector<int32_t> languages);

  void record(int64_t sample, double mean_loss) { losses_[size_t(sample)] = float(mean_loss); }
  bool seen(int64_t sample) const { return losses_[size_t(sample)] == losses_[size_t(sample)]; }
  double loss(int64_t sample) const { return losses_[size_t(sample)]; }

  using Filter = std::function<bool(int64_t sample)>;
  // Of each language the `share` of lowest loss, at least one, among the seen samples that the filter lets through.
  std::vector<int32_t> mastered(double share, const Filter& filter) const { return extreme(share, filter, false); }
  // The same of highest loss.
  std::vector<int32_t> hardest(double share, const Filter& filter) const { return extreme(share, filter, true); }

  void save(Writer& out) const { out.put_list(losses_); }
  void load(Reader& in);

 private:
  std::vector<int32_t> extreme(double share, const Filter& filter, bool highest) const;

  std::vector<int32_t> languages_;
  std::vector<float> losses_;  // mean over tokens; NaN: not seen yet
};

}  // namespace curriculum
