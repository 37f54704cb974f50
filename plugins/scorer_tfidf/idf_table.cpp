#include "scorer_tfidf/idf_table.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace sz::scorers {

DocumentFrequencies::DocumentFrequencies(size_t max_terms) : max_terms_(max_terms) {}

void DocumentFrequencies::add(const std::vector<std::string>& terms) {
  ++documents_;
  for (const std::string& term : terms) {
    Entry& entry = table_[text::hash_of(term)];
    if (entry.last == documents_) continue;
    entry.last = documents_;
    ++entry.documents;
  }
  while (table_.size() > max_terms_) prune();
}

void DocumentFrequencies::prune() {
  ++pruned_;
  text::HashTable<Entry> kept(max_terms_ / 2);
  table_.for_each([&](uint64_t hash, const Entry& entry) {
    if (entry.documents > pruned_) kept[hash] = entry;
  });
  table_ = std::move(kept);
}

uint64_t DocumentFrequencies::count_of(const std::string& term) const {
  const Entry* entry = table_.find(text::hash_of(term));
  return entry ? entry->documents : 0;
}

IdfTable::IdfTable(DocumentFrequencies frequencies) : frequencies_(std::move(frequencies)) {}

IdfTable IdfTable::read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("the idf table " + path + " can't be read: check the key 'idf_table'");
  IdfTable table;
  table.from_file_ = true;
  table.unknown_ = 0;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    const size_t tab = line.rfind('\t');
    char* end = nullptr;
    const double idf = tab == std::string::npos ? -1 : std::strtod(line.c_str() + tab + 1, &end);
    if (!(idf >= 0) || !std::isfinite(idf) || end == line.c_str() + tab + 1 || *end != '\0') {
      throw std::runtime_error(path + ":" + std::to_string(number) +
                               ": expected a term, a tab and an idf of at least 0");
    }
    table.given_[text::hash_of(line.substr(0, tab))] = idf;
    table.unknown_ = std::max(table.unknown_, idf);
  }
  return table;
}

double IdfTable::idf(const std::string& term) const {
  if (from_file_) {
    const double* given = given_.find(text::hash_of(term));
    return given ? *given : unknown_;
  }
  const double documents = double(frequencies_.documents());
  return std::log((1 + documents) / (1 + double(frequencies_.count_of(term)))) + 1;
}

}  // namespace sz::scorers
