#include "text/chinese_segmenter.h"

#include <cmath>
#include <cstdlib>

#include "text/model_files.h"
#include "text/utf8.h"

namespace sz::text {
namespace {

// Tags of the PKU set, as jieba's dictionary has them: n, nr, ns, nt, nz nouns; v, vd, vi, vg verbs, vn verbal nouns;
// s places, t times, l and i phrases are neither.
PartOfSpeech part_of_tag(std::string_view tag) {
  if (tag.empty()) return PartOfSpeech::kOther;
  if (tag[0] == 'n') return PartOfSpeech::kNoun;
  return tag[0] == 'v' ? PartOfSpeech::kVerb : PartOfSpeech::kOther;
}

}  // namespace

void ChineseSegmenter::add_line(std::string_view line, double& total) {
  const size_t first = line.find(' ');
  if (first == std::string_view::npos || first == 0) return;
  const std::string_view word = line.substr(0, first);
  const std::string rest(line.substr(first + 1));
  char* end = nullptr;
  const double frequency = std::strtod(rest.c_str(), &end);
  if (!(frequency > 0)) return;
  total += frequency;
  uint64_t hash = kHashStart;
  for (size_t at = 0; at < word.size();) {
    const size_t bytes = decode(word, at).bytes;
    hash = hash_more(hash, word.substr(at, bytes));
    at += bytes;
    entries_[hash];
  }
  while (*end == ' ') ++end;
  Entry& entry = entries_[hash];
  entry.log_frequency = float(std::log(frequency));
  entry.word = true;
  entry.part = part_of_tag(end);
  entry.verbal_noun = std::string_view(end).starts_with("vn");
}

ChineseSegmenter ChineseSegmenter::load(const std::string& folder) {
  const std::string path = folder + "/dict.txt";
  const std::string text = read_model(path, "the Chinese dictionary (package python3-jieba)");
  ChineseSegmenter segmenter;
  double total = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    segmenter.add_line(std::string_view(text).substr(at, end - at), total);
    at = end + 1;
  }
  if (total <= 0) throw ModelError(path + " holds no words: run ./scripts/setup.sh again");
  segmenter.log_total_ = std::log(total);
  segmenter.hmm_ = ChineseHmm::load(folder + "/finalseg");
  return segmenter;
}

PartOfSpeech ChineseSegmenter::part_of(std::string_view word, std::string_view before) const {
  const Entry* entry = entries_.find(hash_of(word));
  if (!entry) return PartOfSpeech::kOther;
  return entry->verbal_noun && before == "的" ? PartOfSpeech::kNoun : entry->part;
}

void ChineseSegmenter::cut(std::string_view run, std::vector<std::string_view>& words) const {
  std::vector<char32_t> points;
  std::vector<uint32_t> offsets;
  for (size_t at = 0; at < run.size();) {
    const Decoded next = decode(run, at);
    points.push_back(next.code_point);
    offsets.push_back(uint32_t(at));
    at += next.bytes;
  }
  offsets.push_back(uint32_t(run.size()));
  const size_t n = points.size();

  // best[i]: log probability of the likeliest words from i to the end; next[i]: where the first of them ends.
  std::vector<double> best(n + 1, 0);
  std::vector<uint32_t> next(n);
  for (size_t i = n; i-- > 0;) {
    best[i] = best[i + 1] - log_total_;  // an ideograph that the dictionary lacks counts as if seen once
    next[i] = uint32_t(i + 1);
    uint64_t hash = kHashStart;
    for (size_t j = i; j < n; ++j) {
      hash = hash_more(hash, run.substr(offsets[j], offsets[j + 1] - offsets[j]));
      const Entry* entry = entries_.find(hash);
      if (!entry) break;
      if (!entry->word) continue;
      const double probability = entry->log_frequency - log_total_ + best[j + 1];
      if (probability < best[i]) continue;  // of equals the longer word
      best[i] = probability;
      next[i] = uint32_t(j + 1);
    }
  }

  size_t singles = 0;  // where the pending run of single ideographs begins
  for (size_t i = 0; i < n; i = next[i]) {
    if (next[i] == i + 1) continue;
    cut_singles(points, offsets, singles, i, run, words);
    words.push_back(run.substr(offsets[i], offsets[next[i]] - offsets[i]));
    singles = next[i];
  }
  cut_singles(points, offsets, singles, n, run, words);
}

void ChineseSegmenter::cut_singles(const std::vector<char32_t>& points, const std::vector<uint32_t>& offsets,
                                   size_t from, size_t to, std::string_view run,
                                   std::vector<std::string_view>& words) const {
  if (from == to) return;
  const auto piece = [&](size_t a, size_t b) { return run.substr(offsets[a], offsets[b] - offsets[a]); };
  const Entry* known = entries_.find(hash_of(piece(from, to)));
  const bool keep_single = to - from == 1 || (known && known->word);
  if (keep_single) {
    for (size_t i = from; i < to; ++i) words.push_back(piece(i, i + 1));
    return;
  }
  const std::vector<bool> ends = hmm_.word_ends({points.begin() + ptrdiff_t(from), points.begin() + ptrdiff_t(to)});
  size_t begin = from;
  for (size_t i = from; i < to; ++i) {
    if (!ends[i - from]) continue;
    words.push_back(piece(begin, i + 1));
    begin = i + 1;
  }
}

}  // namespace sz::text
