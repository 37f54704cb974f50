#include "text/chinese_hmm.h"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "text/model_files.h"
#include "text/utf8.h"

namespace sz::text {
namespace {

// A key of a table in Python's notation: 'B' or '\u4e00'.
std::string unescape(const std::string& key) {
  if (key.size() != 6 || key.compare(0, 2, "\\u") != 0) return key;
  std::string out;
  append(out, char32_t(std::strtoul(key.c_str() + 2, nullptr, 16)));
  return out;
}

// Visits every number of {'B': {'x': -1.5, ...}, ...} or {'B': -0.2, ...}: with its outer key ("" where there is
// none), its own key and its value.
void for_each_number(const std::string& table,
                     const std::function<void(const std::string&, const std::string&, double)>& visit) {
  std::string outer;
  for (size_t at = table.find('\''); at != std::string::npos; at = table.find('\'', at)) {
    const size_t close = table.find('\'', at + 1);
    if (close == std::string::npos) return;
    const std::string key = unescape(table.substr(at + 1, close - at - 1));
    const size_t value = table.find_first_not_of(": ", close + 1);
    if (value == std::string::npos) return;
    if (table[value] == '{') {
      outer = key;
      at = value;
      continue;
    }
    char* end = nullptr;
    visit(outer, key, std::strtod(table.c_str() + value, &end));
    at = size_t(end - table.c_str());
  }
}

}  // namespace

int ChineseHmm::state_of(const std::string& name) {
  const size_t at = std::string_view("BMES").find(name);
  if (name.size() != 1 || at == std::string_view::npos) {
    throw ModelError("a Chinese table has the unknown state " + name);
  }
  return int(at);
}

ChineseHmm ChineseHmm::load(const std::string& folder) {
  const std::string what = "the table of Chinese word shapes";
  ChineseHmm hmm;
  hmm.start_.fill(kImpossible);
  for (auto& row : hmm.transition_) row.fill(kImpossible);
  hmm.emission_.assign(kLast - kFirst + 1, {kImpossible, kImpossible, kImpossible, kImpossible});
  const auto clipped = [](double value) { return std::max(float(value), kImpossible); };

  for_each_number(read_model(folder + "/prob_start.py", what),
                  [&](const std::string&, const std::string& key, double value) {
                    hmm.start_[state_of(key)] = clipped(std::max(value, -1e30));
                  });
  for_each_number(read_model(folder + "/prob_trans.py", what),
                  [&](const std::string& from, const std::string& to, double value) {
                    hmm.transition_[state_of(from)][state_of(to)] = clipped(value);
                  });
  for_each_number(read_model(folder + "/prob_emit.py", what),
                  [&](const std::string& state, const std::string& key, double value) {
                    const char32_t cp = decode(key, 0).code_point;
                    if (cp >= kFirst && cp <= kLast) hmm.emission_[cp - kFirst][state_of(state)] = clipped(value);
                  });
  return hmm;
}

float ChineseHmm::emission(char32_t cp, int state) const {
  return cp >= kFirst && cp <= kLast ? emission_[cp - kFirst][state] : kImpossible;
}

std::vector<bool> ChineseHmm::word_ends(const std::vector<char32_t>& run) const {
  const size_t n = run.size();
  std::vector<bool> ends(n, false);
  if (n == 0) return ends;
  // The two states that may come before each (Viterbi, 1967).
  static constexpr int kBefore[4][2] = {{kEnd, kSingle}, {kMiddle, kBegin}, {kBegin, kMiddle}, {kSingle, kEnd}};
  std::array<double, 4> best{};
  std::vector<std::array<uint8_t, 4>> from(n);
  for (int s = 0; s < 4; ++s) best[s] = start_[s] + emission(run[0], s);
  for (size_t i = 1; i < n; ++i) {
    std::array<double, 4> next{};
    for (int s = 0; s < 4; ++s) {
      const int a = kBefore[s][0], b = kBefore[s][1];
      const double by_a = best[a] + transition_[a][s], by_b = best[b] + transition_[b][s];
      from[i][s] = uint8_t(by_a >= by_b ? a : b);
      next[s] = std::max(by_a, by_b) + emission(run[i], s);
    }
    best = next;
  }
  int state = best[kEnd] > best[kSingle] ? kEnd : kSingle;
  for (size_t i = n; i-- > 0;) {
    ends[i] = state == kEnd || state == kSingle || i == n - 1;
    state = i > 0 ? from[i][state] : state;
  }
  return ends;
}

}  // namespace sz::text
