// scorer_tfidf: a text is as hard as its words are rare.
#include <sz/config.hpp>
#include <sz/log.hpp>
#include <sz/plugin.hpp>
#include <sz/scorer.hpp>

#include <memory>
#include <set>
#include <string>

#include "scorer_tfidf/tfidf.h"
#include "text/model_files.h"

namespace sz::scorers {
namespace {

class TfidfPlugin final : public Plugin, public Scorer {
 public:
  explicit TfidfPlugin(Host host) : Plugin(host) {}

  static Descriptor describe() {
    return Descriptor("scorer_tfidf", "1.0.0")
        .licence("Apache-2.0")
        .summary("difficulty of a text by how rare its words are (TF-IDF)", "按用词的罕见程度衡量文本难度（TF-IDF）")
        .give(SZ_SCORER, "tfidf")
        .key({.name = "noun_weight", .type = SZ_KEY_FLOAT, .default_toml = "1.2", .help = "weight of nouns and names",
              .min = 0, .max = 1000})
        .key({.name = "verb_weight", .type = SZ_KEY_FLOAT, .default_toml = "1.0", .help = "weight of verbs", .min = 0,
              .max = 1000})
        .key({.name = "other_weight", .type = SZ_KEY_FLOAT, .default_toml = "1.0", .help = "weight of all other words",
              .min = 0, .max = 1000})
        .key({.name = "stop_words", .type = SZ_KEY_STRING_LIST, .default_toml = "[]",
              .help = "terms that don't count, in lower case"})
        .key({.name = "idf_table", .type = SZ_KEY_STRING, .default_toml = "\"\"",
              .help = "file of `term <tab> idf` lines; empty: counted over the training corpus"})
        .key({.name = "max_terms", .type = SZ_KEY_INT, .default_toml = "2000000",
              .help = "of the counted table; beyond it the rarest are forgotten", .unit = "terms", .min = 1000,
              .max = 1e9})
        .key({.name = "models", .type = SZ_KEY_STRING, .default_toml = "\"\"",
              .help = "folder of dictionaries; empty: where scripts/setup.sh put them", .per_host = true});
  }

  void start() override {
    const Config config(host());
    TfidfOptions options;
    options.noun_weight = config.get_float("noun_weight");
    options.verb_weight = config.get_float("verb_weight");
    options.other_weight = config.get_float("other_weight");
    for (const std::string& word : config.get_strings("stop_words")) options.stop_words.insert(word);
    options.max_terms = size_t(config.get_int("max_terms"));
    const std::string models = text::models_folder(config.get_string("models"));
    scorer_ = std::make_unique<Tfidf>(std::make_shared<text::WordSplitter>(text::WordSplitter::load(models)), options);
    const std::string table = config.get_string("idf_table");
    counts_ = table.empty();
    if (!counts_) scorer_->use_table(IdfTable::read(table));
  }

  Provided provide(std::string_view, std::string_view) override { return provided(1, text::kRouteNames); }

  void fit(const NextText& next) override {
    if (!counts_) return;
    for (sz_text_item item = {}; next(item);) scorer_->add_document({item.text.ptr, item.text.len});
    scorer_->finish_counting();
  }

  void score(std::span<const sz_text_item> items, std::span<double> scores, std::span<uint32_t> routes) override {
    for (size_t i = 0; i < items.size(); ++i) {
      const TextScore score = scorer_->score({items[i].text.ptr, items[i].text.len});
      scores[i] = score.value;
      if (!routes.empty()) routes[i] = uint32_t(score.route);
    }
  }

 private:
  std::unique_ptr<Tfidf> scorer_;
  bool counts_ = true;
};

}  // namespace
}  // namespace sz::scorers

SZ_REGISTER_PLUGIN(sz::scorers::TfidfPlugin)
