// Perturbed copies of texts, for adversarial samples. English and Chinese, also mixed: each piece by its own script.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace curriculum {

// Numbers of sz_plan_item::transform.
enum class Perturbation : uint32_t {
  kNone = 0,
  kSwap = 1,        // neighbouring characters of a word, or neighbouring Chinese characters, change places
  kDrop = 2,        // words (a Chinese character, or a word of another script) are left out
  kRepeat = 3,      // they stand twice
  kHomophone = 4,   // Chinese characters become others of the same or nearly the same sound, English words likewise
  kMixScripts = 5,  // Latin letters become Cyrillic ones that look alike, Chinese characters become pinyin
};
inline constexpr uint32_t kPerturbations = 5;

// The one that an adversarial item gets.
Perturbation perturbation_of(uint64_t seed);

// About a tenth of the pieces are changed, at least one where the text has a piece that can be. `text` is valid UTF-8,
// and so is the result, which is never longer than twice the text (pinyin aside) and empty only for an empty text.
// A pure function of its arguments.
std::string perturb(std::string_view text, Perturbation how, uint64_t seed);

}  // namespace curriculum
