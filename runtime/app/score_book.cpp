#include "app/score_book.h"

#include <sys/stat.h>

#include <algorithm>
#include <csignal>

#include "app/score_pass.h"
#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/progress.h"
#include "data/cache_lock.h"

namespace sz {
namespace {

constexpr Split kSplits[] = {Split::kTrain, Split::kValidation};

bool is_file(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

const char* name_of(Split split) { return split == Split::kTrain ? "train" : "validation"; }

}  // namespace

ScoreBook::ScoreBook(const Config& config, std::shared_ptr<const Dataset> data, std::vector<PluginScorer> scorers,
                     ScoreBookOptions options)
    : config_(config), data_(std::move(data)), scorers_(std::move(scorers)), options_(std::move(options)) {}

const PluginScorer& ScoreBook::find(const std::string& name) const {
  std::string names;
  for (const PluginScorer& scorer : scorers_) {
    if (scorer.name() == name || scorer.plugin() == name) return scorer;
    names += (names.empty() ? "" : ", ") + scorer.name();
  }
  throw Error(Exit::kUsage, "no enabled plugin scores texts by the name '" + name + "'; there is: " +
                                (names.empty() ? "none" : names));
}

std::string ScoreBook::key(const PluginScorer& scorer) const {
  Xxh3 hash;
  const auto add = [&](const std::string& part) { hash.update(part + "\n"); };
  add(data_->fingerprint());
  add(scorer.plugin() + " " + scorer.name() + " " + scorer.version());
  const std::string prefix = "plugins." + scorer.plugin() + ".";
  for (const auto& [path, value] : config_.fingerprint()) {
    if (path.starts_with(prefix)) add(path + "=" + value);
  }
  for (const KeySpec& spec : config_.schema().keys()) {
    if (!spec.path.starts_with(prefix) || spec.type != KeyType::kString || !config_.has(spec.path)) continue;
    const std::string& value = config_.get_string(spec.path);
    if (is_file(value)) add(spec.path + " holds " + xxh3_64_hex_of_file(value));
  }
  return hash.hex_64();
}

std::string ScoreBook::path(const PluginScorer& scorer, Split split) const {
  return options_.folder + "/scores/" + scorer.name() + "-" + key(scorer) + "." + name_of(split) + ".bin";
}

const SplitScores& ScoreBook::scores(Split split, const std::string& name) {
  const PluginScorer& scorer = find(name);
  const auto id = std::make_pair(scorer.name(), split);
  if (!known_.contains(id)) {
    make_directories(options_.folder + "/scores");
    const CacheLock lock(path(scorer, Split::kTrain) + ".lock");
    bool complete = true;
    for (const Split each : kSplits) {
      auto read = read_scores(path(scorer, each), data_->count(each));
      complete = complete && read.has_value();
      if (read) known_[{scorer.name(), each}] = std::move(*read);
    }
    if (!complete) compute(scorer);
  }
  return known_.at(id);
}

void ScoreBook::compute(const PluginScorer& scorer) {
  fit(scorer);
  for (const Split split : kSplits) score_split(scorer, split);
}

ScoredText ScoreBook::text_of(Split split, int64_t sample) const {
  const int32_t language = data_->info(split, sample).language;
  return {data_->text(split, sample), data_->languages()[size_t(language)].c_str()};
}

void ScoreBook::fit(const PluginScorer& scorer) {
  if (!scorer.needs_fit()) return;
  const int64_t samples = data_->count(Split::kTrain);
  ProgressOptions shown;
  shown.enabled = options_.progress;
  Progress progress("scorer " + scorer.name() + ": reading the corpus", samples, shown);
  int64_t next = 0;
  scorer.fit([&](ScoredText& text) {
    throw_if_pass_is_stopped();
    progress.update(next);
    if (next == samples) return false;
    text = text_of(Split::kTrain, next++);
    return true;
  });
}

void ScoreBook::score_split(const PluginScorer& scorer, Split split) {
  const int64_t samples = data_->count(split);
  ScoreJournal journal(path(scorer, split) + ".part", samples);
  ProgressOptions shown;
  shown.enabled = options_.progress;
  shown.start = journal.done();
  Progress progress("scorer " + scorer.name() + ": " + name_of(split), samples, shown);
  ScorePass pass;
  pass.samples = samples;
  pass.threads = options_.threads;
  pass.score = [&](int64_t first, int64_t count, std::vector<double>& values, std::vector<uint32_t>& routes) {
    std::vector<ScoredText> texts;
    for (int64_t i = first; i < first + count; ++i) texts.push_back(text_of(split, i));
    scorer.score(texts, values, routes);
  };
  pass.progress = [&](int64_t done) { progress.update(done); };
  run_score_pass(pass, journal);
  progress.finish();
  write_scores(path(scorer, split), journal.scores());
  known_[{scorer.name(), split}] = journal.scores();
  journal.remove();
}

}  // namespace sz
