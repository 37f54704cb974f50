#pragma once
#include <cstdint>

namespace sz::text {

enum class PartOfSpeech : uint8_t { kOther, kNoun, kVerb };

}  // namespace sz::text
