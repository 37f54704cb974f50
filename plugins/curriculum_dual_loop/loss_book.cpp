#include "loss_book.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>

namespace curriculum {

LossBook::LossBook(std::vector<int32_t> languages)
    : languages_(std::move(languages)), losses_(languages_.size(), std::numeric_limits<float>::quiet_NaN()) {}

std::vector<int32_t> LossBook::extreme(double share, const Filter& filter, bool highest) const {
  std::map<int32_t, std::vector<int32_t>> by_language;
  for (size_t i = 0; i < losses_.size(); ++i) {
    if (seen(int64_t(i)) && filter(int64_t(i))) by_language[languages_[i]].push_back(int32_t(i));
  }
  std::vector<int32_t> result;
  for (auto& [language, samples] : by_language) {
    std::stable_sort(samples.begin(), samples.end(), [&](int32_t a, int32_t b) {
      const float x = losses_[size_t(a)], y = losses_[size_t(b)];
      return highest ? x > y : x < y;
    });
    samples.resize(std::min(samples.size(), size_t(std::ceil(share * double(samples.size())))));
    result.insert(result.end(), samples.begin(), samples.end());
  }
  return result;
}

void LossBook::load(Reader& in) {
  std::vector<float> losses = in.get_list<float>();
  if (losses.size() != losses_.size()) {
    throw std::runtime_error("the saved state knows " + std::to_string(losses.size()) +
                             " training samples, this run has " + std::to_string(losses_.size()) +
                             "; resume with the same data");
  }
  losses_ = std::move(losses);
}

}  // namespace curriculum
