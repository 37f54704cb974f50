// Characters that sound alike, and letters that look alike.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace curriculum {

// Common Chinese characters of one sound; tones are left out, and syllables that many speakers don't keep apart
// (in/ing, s/sh) stand together.
struct SoundGroup {
  const char* pinyin;
  std::vector<std::string> characters;
};

// Null for a character that the table doesn't hold.
const SoundGroup* sounds_like(const std::string& character);
// English words of one sound, lower case ("their": "there", "they're"); empty where the table has none.
const std::vector<std::string>& english_homophones(const std::string& word);
// A Cyrillic letter that looks like the Latin one; null where there is none.
const char* look_alike(const std::string& letter);

}  // namespace curriculum
