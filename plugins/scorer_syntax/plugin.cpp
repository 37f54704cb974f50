// scorer_syntax: a text is as hard as its sentences are deep and long.
#include <sz/config.hpp>
#include <sz/log.hpp>
#include <sz/plugin.hpp>
#include <sz/scorer.hpp>

#include <memory>
#include <string>
#include <utility>

#include "scorer_syntax/syntax.h"
#include "text/model_files.h"

namespace sz::scorers {
namespace {

class SyntaxPlugin final : public Plugin, public Scorer {
 public:
  explicit SyntaxPlugin(Host host) : Plugin(host) {}

  static Descriptor describe() {
    return Descriptor("scorer_syntax", "1.1.0")
        .licence("Apache-2.0")
        .summary("difficulty of a text by the depth of its sentences' syntax trees", "按句法树的深度衡量文本难度")
        .give(SZ_SCORER, "syntax")
        .key({.name = "sentences", .type = SZ_KEY_INT, .default_toml = "2",
              .help = "of a sample that are parsed at most", .min = 1, .max = 1000})
        .key({.name = "free_words", .type = SZ_KEY_FLOAT, .default_toml = "20",
              .help = "length of a sentence up to which there is no penalty", .unit = "words", .min = 0, .max = 1e6})
        .key({.name = "tau", .type = SZ_KEY_FLOAT, .default_toml = "30",
              .help = "words beyond free_words that multiply a sentence's depth by e", .unit = "words", .min = 1e-3,
              .max = 1e9})
        .key({.name = "max_words", .type = SZ_KEY_INT, .default_toml = "40",
              .help = "longer sentences are parsed by clauses", .unit = "words", .min = 5, .max = 200})
        .key({.name = "seconds", .type = SZ_KEY_INT, .default_toml = "3",
              .help = "processor time that a sentence may take; its depth is then estimated from its length",
              .unit = "s", .min = 1, .max = 3600})
        .key({.name = "english_model", .type = SZ_KEY_STRING, .default_toml = "\"\"",
              .help = "UDPipe model for English; empty: link-grammar"})
        .key({.name = "chinese_model", .type = SZ_KEY_STRING, .default_toml = "\"\"",
              .help = "UDPipe model for Chinese; empty: the one that scripts/setup.sh installs"})
        .key({.name = "models", .type = SZ_KEY_STRING, .default_toml = "\"\"",
              .help = "folder of models; empty: where scripts/setup.sh put them", .per_host = true});
  }

  void start() override {
    const Config config(host());
    SyntaxOptions options;
    options.sentences = config.get_int("sentences");
    options.free_words = config.get_float("free_words");
    options.tau = config.get_float("tau");
    options.max_words = config.get_int("max_words");
    const std::string english_model = config.get_string("english_model");
    std::string chinese_model = config.get_string("chinese_model");
    if (chinese_model.empty()) chinese_model = text::models_folder(config.get_string("models")) + "/chinese.udpipe";
    auto english = english_model.empty() ? make_link_grammar_parser(int(config.get_int("seconds")))
                                         : make_udpipe_parser(english_model);
    auto chinese = make_udpipe_parser(chinese_model);
    scorer_ = std::make_unique<SyntaxScorer>(std::move(english), std::move(chinese), options);
  }

  void stop() override {
    if (!scorer_ || scorer_->estimated() == 0) return;
    Log(host()).info("of " + std::to_string(scorer_->parsed() + scorer_->estimated()) +
                     " sentences and clauses, the depth of " + std::to_string(scorer_->estimated()) +
                     " was estimated from their length (no analysis in time, or another script)");
  }

  Provided provide(std::string_view, std::string_view) override { return provided(1, kSyntaxRouteNames); }

  void score(std::span<const sz_text_item> items, std::span<double> scores, std::span<uint32_t> routes) override {
    for (size_t i = 0; i < items.size(); ++i) {
      const SyntaxScore score = scorer_->score({items[i].text.ptr, items[i].text.len});
      scores[i] = score.value;
      if (!routes.empty()) routes[i] = score.route;
    }
  }

 private:
  std::unique_ptr<SyntaxScorer> scorer_;
};

}  // namespace
}  // namespace sz::scorers

SZ_REGISTER_PLUGIN(sz::scorers::SyntaxPlugin)
