// Sentences and clauses. Thread: any (pure functions).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "text/script.h"

namespace sz::text {

struct SentencePiece {
  std::string text;  // white space collapsed, none at the ends or between ideographs
  size_t words = 0;  // Latin words and numbers, and two for each three ideographs, rounded up
  ScriptCounts scripts;
};

// Splits a folded text (text/fold.h) after . ! ? and their Chinese forms, and at blank lines; not after abbreviations
// ("Dr."), initials, or a full stop inside a number. Pieces without a letter are left out.
std::vector<SentencePiece> split_sentences(std::string_view folded);

// Splits a sentence into pieces of at most `max_words` words: at clause marks (, ; : and their Chinese forms) where it
// can, else between words. Never empty for a sentence that has words.
std::vector<SentencePiece> split_clauses(const SentencePiece& sentence, size_t max_words);

}  // namespace sz::text
