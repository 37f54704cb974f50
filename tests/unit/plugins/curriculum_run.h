// Whole runs on thread ranks with curriculum_dual_loop in the slot `sampler`, over readable text.
#pragma once
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "unit/plugins/amp_o2_run.h"
#include "unit/plugins/rank_plugins.h"

namespace sz::test {

// English and Chinese texts of 1 to 9 words; a token is a byte, BOS 256, EOS 257.
class TextSource final : public Source {
 public:
  static constexpr int64_t kBos = 256, kEos = 257, kVocabulary = 258;

  TextSource(int64_t train, int64_t validation) {
    for (int64_t i = 0; i < train; ++i) train_.push_back(text_of(i));
    for (int64_t i = 0; i < validation; ++i) validation_.push_back(text_of(i * 3 + 1) + "!");
  }
  int64_t count(Split split) const override { return int64_t(texts(split).size()); }
  SampleInfo info(Split split, int64_t sample) const override {
    const std::string& text = texts(split).at(size_t(sample));
    SampleInfo info;
    info.document = sample + (split == Split::kValidation ? int64_t(train_.size()) : 0);
    info.length = info.label_tokens = int64_t(text.size()) + 1;
    info.language = static_cast<unsigned char>(text[0]) < 0x80 ? 0 : 1;
    return info;
  }
  void read(Split split, int64_t sample, SampleTokens& out) const override {
    out.ids = {kBos};
    for (const int64_t id : encode(texts(split).at(size_t(sample)))) out.ids.push_back(id);
    out.labels.assign(out.ids.begin() + 1, out.ids.end());
    out.labels.push_back(kEos);
    out.mask.assign(out.ids.size(), 1.0f);
  }
  std::string text(Split split, int64_t sample) const override { return texts(split).at(size_t(sample)); }
  const std::vector<std::string>& languages() const override { return languages_; }
  int64_t vocabulary() const override { return kVocabulary; }
  std::vector<int64_t> encode(std::string_view text) const override {
    std::vector<int64_t> ids;
    for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
    return ids;
  }

 private:
  static std::string text_of(int64_t i) {
    static const std::vector<std::string> english = {"their", "way", "here"}, chinese = {"是", "他", "在做"};
    std::string text;
    for (int64_t w = 0; w <= i / 2 % 9; ++w) {
      text += i % 2 == 0 ? english[size_t((i + w) % 3)] + " " : chinese[size_t((i + w) % 3)];
    }
    return text;
  }
  const std::vector<std::string>& texts(Split split) const { return split == Split::kTrain ? train_ : validation_; }

  std::vector<std::string> train_, validation_;
  std::vector<std::string> languages_ = {"en", "zh", "other"};
};

// To a sampler that the host owns.
class LentSampler final : public Sampler {
 public:
  explicit LentSampler(Sampler& owner) : owner_(owner) {}
  std::string name() const override { return owner_.name(); }
  void setup(const SamplerSetup& setup) override { owner_.setup(setup); }
  std::string initial_state() const override { return owner_.initial_state(); }
  std::pair<Plan, std::string> plan(const std::string& state) const override { return owner_.plan(state); }
  uint64_t revision() const override { return owner_.revision(); }
  Transform transform() override { return owner_.transform(); }

 private:
  Sampler& owner_;
};

// One rank's plugins, in a run that has a position and gives scores.
class CurriculumPlugins {
 public:
  CurriculumPlugins(const std::string& toml, const std::string& decisions, RankParts& parts,
                    const TrainOptions& options)
      : plugins_(toml, decisions, parts, context(parts, options)), host(plugins_.host) {
    host.set_source(parts.source);
  }

 private:
  RunContext context(RankParts& parts, const TrainOptions& options) {
    position_.total_steps = options.steps;
    position_.global_batch = options.micro_batch * options.accumulation * parts.comm->size();
    position_.steps_per_epoch =
        (parts.source->count(Split::kTrain) + position_.global_batch - 1) / position_.global_batch;
    watch(parts, {Hook::kStepBegin, Hook::kStepEnd, Hook::kEvalEnd, Hook::kEpochEnd}, [this](const HookInfo& info) {
      position_.step = info.step;
      position_.attempt = info.attempt;
      position_.epoch = info.epoch;
    });
    RunContext context;
    context.position = [this] { return position_; };
    context.scores = [this, source = parts.source](Split split, const std::string& scorer) {
      return scores(*source, split, scorer);
    };
    return context;
  }
  std::vector<double> scores(const Source& source, Split split, const std::string& name) const {
    for (const PluginScorer& scorer : host.scorers()) {
      if (scorer.name() != name) continue;
      std::vector<ScoredText> texts;
      for (int64_t i = 0; i < source.count(split); ++i) texts.push_back({source.text(split, i), nullptr});
      std::vector<double> values(texts.size());
      std::vector<uint32_t> routes(texts.size());
      scorer.score(texts, values, routes);
      return values;
    }
    throw Error(Exit::kUsage, "no scorer " + name);
  }

  RunPosition position_;
  RankPlugins plugins_;

 public:
  PluginHost& host;
};

inline std::string curriculum_toml(const std::string& keys) {
  return "[plugins.test_length_scorer]\nenabled = true\n[plugins.curriculum_dual_loop]\nenabled = true\n"
         "difficulty_metric = \"length\"\n" + keys + "\n";
}

// What an applied step trained on, as rank 0 saw it at STEP_END.
struct PlanSeen {
  int64_t step = 0;
  Plan plan;
};

struct CurriculumRun {
  RunSpec spec;
  std::string toml;
  std::function<void(RankParts&)> prepare;
  std::vector<PlanSeen> plans;  // of rank 0, all attempts
  std::vector<nlohmann::json> decisions;

  explicit CurriculumRun(const std::string& keys, int64_t samples = 24, int64_t validation = 12)
      : toml(curriculum_toml(keys)) {
    spec.source = std::make_shared<TextSource>(samples, validation);
    spec.model.context = 64;
    spec.model.vocabulary = TextSource::kVocabulary;
    spec.options.micro_batch = 4;
  }

  RunResult run() {
    const TemporaryFolder folder;
    const std::string log = folder.path() + "/decisions.jsonl";
    plans.clear();
    RunSpec own = spec;
    own.prepare = [this, &log](RankParts& parts) {
      auto* plugins = parts.own<CurriculumPlugins>(toml, log, parts, spec.options);
      parts.sampler = std::make_unique<LentSampler>(*plugins->host.sampler());
      Precision* const precision = plugins->host.precision();
      if (precision) parts.precision = std::make_unique<LentPrecision>(*precision);
      for (Stateful* state : plugins->host.states()) {
        if (!precision || state->state_id() != precision->stateful()->state_id()) parts.states.push_back(state);
      }
      watch(parts, {Hook::kStepEnd}, [this, first = parts.rank() == 0](const HookInfo& info) {
        if (first) plans.push_back({info.step, *info.plan});
      });
      if (prepare) prepare(parts);
    };
    const RunResult result = train(own);
    decisions = json_lines(log);
    return result;
  }

  std::vector<nlohmann::json> of(const std::string& what) const {
    std::vector<nlohmann::json> found;
    for (const nlohmann::json& line : decisions) {
      if (line.at("what") == what) found.push_back(line);
    }
    return found;
  }
};

// The items of all plans one after the other: what was taken, how and at which place.
inline std::vector<std::vector<int64_t>> items_of(const std::vector<PlanSeen>& plans) {
  std::vector<std::vector<int64_t>> items;
  for (const PlanSeen& seen : plans) {
    for (const PlanItem& item : seen.plan) {
      items.push_back({item.sample, int64_t(item.position), item.transform, item.flags, int64_t(item.seed)});
    }
  }
  return items;
}

}  // namespace sz::test
