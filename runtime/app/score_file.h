// One scorer's scores of one split, in a file; while they are being computed, a journal that an interrupted pass goes
// on from.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sz {

struct SplitScores {
  std::vector<double> values;   // by sample
  std::vector<uint8_t> routes;  // indices into the scorer's routes
};

// Nothing where the file is missing, damaged or of another number of samples. Errors: base/files.h's.
std::optional<SplitScores> read_scores(const std::string& path, int64_t samples);
// Whole or not at all.
void write_scores(const std::string& path, const SplitScores& scores);

// Appends runs of scores as they come, in any order. Thread: one at a time.
class ScoreJournal {
 public:
  // Reads what an earlier pass left; a record that was cut short, and all after it, is dropped.
  ScoreJournal(const std::string& path, int64_t samples);
  ~ScoreJournal();
  ScoreJournal(const ScoreJournal&) = delete;

  void add(int64_t first, const std::vector<double>& values, const std::vector<uint8_t>& routes);
  bool has(int64_t sample) const { return known_[size_t(sample)]; }
  int64_t done() const { return done_; }
  const SplitScores& scores() const { return scores_; }  // 0 where not yet known
  void remove();                                         // once the scores are in their file

 private:
  void take(int64_t first, const std::vector<double>& values, const std::vector<uint8_t>& routes);
  size_t read_all(const std::string& bytes);

  std::string path_;
  int descriptor_ = -1;
  SplitScores scores_;
  std::vector<bool> known_;
  int64_t done_ = 0;
};

}  // namespace sz
