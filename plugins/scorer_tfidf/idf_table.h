// Inverse document frequencies, counted from a stream of documents in bounded memory or read from a table.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "text/hash_table.h"

namespace sz::scorers {

// Counts in how many documents each term stands. Beyond `max_terms` the rarest are forgotten (lossy counting, Manku
// and Motwani 2002): a term's count is then too low by at most pruned(). Thread: one at a time.
class DocumentFrequencies {
 public:
  explicit DocumentFrequencies(size_t max_terms);

  void add(const std::vector<std::string>& terms);  // of one document, with repetitions
  uint64_t documents() const { return documents_; }
  uint64_t count_of(const std::string& term) const;
  size_t terms() const { return table_.size(); }
  size_t bytes() const { return table_.bytes(); }
  uint32_t pruned() const { return pruned_; }

 private:
  struct Entry {
    uint32_t documents = 0;
    uint64_t last = 0;  // number of the last document that has it, from 1
  };
  void prune();

  size_t max_terms_;
  text::HashTable<Entry> table_;
  uint64_t documents_ = 0;
  uint32_t pruned_ = 0;
};

// Thread: any, once made.
class IdfTable {
 public:
  IdfTable() = default;  // no documents: every term weighs 1
  // ln((1 + documents) / (1 + documents with the term)) + 1, scikit-learn's smoothed form: at least 1, and defined for
  // terms that were never seen.
  explicit IdfTable(DocumentFrequencies frequencies);
  // Lines of `term <tab> idf`, at least 0; '#' starts a comment. Terms that it lacks weigh as much as its heaviest.
  // Errors: std::runtime_error naming file and line.
  static IdfTable read(const std::string& path);

  double idf(const std::string& term) const;

 private:
  text::HashTable<double> given_;
  DocumentFrequencies frequencies_{0};
  double unknown_ = 1;
  bool from_file_ = false;
};

}  // namespace sz::scorers
