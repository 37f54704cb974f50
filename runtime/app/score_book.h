// The scores of a prepared data set's samples by every scorer of the run: computed once, on several threads, and kept
// beside the token shards, in FOLDER/scores/.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/score_file.h"
#include "base/config.h"
#include "data/dataset.h"
#include "plugin_host/plugin_scorer.h"

namespace sz {

struct ScoreBookOptions {
  std::string folder;    // of the prepared data set
  int threads = 1;       // that score
  bool progress = true;  // shows how far it is; false on ranks other than 0
};

// Thread: main.
class ScoreBook {
 public:
  // What scores depend on besides the scorers: borrowed, outlives the book.
  ScoreBook(const Config& config, std::shared_ptr<const Dataset> data, std::vector<PluginScorer> scorers,
            ScoreBookOptions options);

  const std::vector<PluginScorer>& scorers() const { return scorers_; }
  // By the name of a scorer or of its plugin. Errors: Error(kUsage) listing those that there are.
  const PluginScorer& find(const std::string& name) const;

  // Of all samples of the split. Several processes may ask at once: one computes, the others wait for it. Errors: the
  // scorer's; base/files.h's; a stop signal ends the pass (kInterrupted, kTerminated), the next goes on from there.
  const SplitScores& scores(Split split, const std::string& scorer);

  // What the scores of one scorer are kept under: changes with the data, the context, the plugin, the version of its
  // scores, its configuration, and the content of files that this names.
  std::string key(const PluginScorer& scorer) const;

 private:
  std::string path(const PluginScorer& scorer, Split split) const;
  void compute(const PluginScorer& scorer);
  void fit(const PluginScorer& scorer);
  void score_split(const PluginScorer& scorer, Split split);
  ScoredText text_of(Split split, int64_t sample) const;

  const Config& config_;
  std::shared_ptr<const Dataset> data_;
  std::vector<PluginScorer> scorers_;
  ScoreBookOptions options_;
  std::map<std::pair<std::string, Split>, SplitScores> known_;
};

}  // namespace sz
