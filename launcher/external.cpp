#include "external.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <numeric>

#include "exit_code.h"

namespace sz::launch {

namespace {

// Levenshtein's distance, row by row.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

bool is_plain_name(const std::string& name) {
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; });
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& words) {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : words) {
    const std::size_t d = distance(word, candidate);
    if (d < least && d < word.size()) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

int run_external(const std::string& name, const Arguments& arguments, const std::vector<std::string>& verbs) {
  if (is_plain_name(name)) {
    if (const auto program = find_executable("szlaunch-" + name)) {
      Arguments command = {*program};
      command.insert(command.end(), arguments.begin(), arguments.end());
      return exec(command);
    }
  }
  std::fprintf(stderr, "szlaunch: '%s' is not a command, and there is no szlaunch-%s on PATH.\n", name.c_str(),
               name.c_str());
  const std::string guess = nearest(name, verbs);
  if (!guess.empty()) std::fprintf(stderr, "Did you mean '%s'?\n", guess.c_str());
  std::fprintf(stderr, "`szlaunch --help` lists the commands.\n");
  return kUsage;
}

}  // namespace sz::launch
