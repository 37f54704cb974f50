// scorer_embed: a text is as hard as its meaning lies far from the core concepts.
#include <sz/config.hpp>
#include <sz/plugin.hpp>
#include <sz/scorer.hpp>

#include <memory>
#include <string>
#include <vector>

#include "scorer_embed/embed.h"
#include "text/model_files.h"

namespace sz::scorers {
namespace {

class EmbedPlugin final : public Plugin, public Scorer {
 public:
  explicit EmbedPlugin(Host host) : Plugin(host) {}

  static Descriptor describe() {
    return Descriptor("scorer_embed", "1.0.0")
        .licence("Apache-2.0")
        .summary("difficulty of a text by how far its meaning lies from the core concepts",
                 "按文本含义与核心概念的距离衡量难度")
        .give(SZ_SCORER, "embed")
        .key({.name = "concepts", .type = SZ_KEY_STRING_LIST, .default_toml = "[]",
              .help = "texts of the core concepts, in any language; empty: centres of the training corpus"})
        .key({.name = "centres", .type = SZ_KEY_INT, .default_toml = "8",
              .help = "of the training corpus, where there are no concepts", .min = 1, .max = 1000})
        .key({.name = "seed", .type = SZ_KEY_INT, .default_toml = "1", .help = "of the centres", .min = 0, .max = 9e15})
        .key({.name = "direction", .type = SZ_KEY_STRING, .default_toml = "\"far\"",
              .help = "what is hard: texts far from the concepts, or near to them", .choices = {"far", "near"}})
        .key({.name = "models", .type = SZ_KEY_STRING, .default_toml = "\"\"",
              .help = "folder of models; empty: where scripts/setup.sh put them", .per_host = true});
  }

  void start() override {
    const Config config(host());
    const bool near = config.get_string("direction") == "near";
    const std::string models = text::models_folder(config.get_string("models"));
    scorer_ = std::make_unique<EmbedScorer>(SentenceEncoder::load(models + "/sentence_encoder"),
                                            near ? Direction::kNearIsHard : Direction::kFarIsHard);
    const std::vector<std::string> concepts = config.get_strings("concepts");
    scorer_->set_concepts(concepts);
    finds_centres_ = concepts.empty();
    centres_ = size_t(config.get_int("centres"));
    seed_ = uint64_t(config.get_int("seed"));
  }

  Provided provide(std::string_view, std::string_view) override { return provided(1, text::kRouteNames); }

  void fit(const NextText& next) override {
    if (!finds_centres_) return;
    for (sz_text_item item = {}; next(item);) scorer_->add_document({item.text.ptr, item.text.len});
    scorer_->find_centres(centres_, seed_);
  }

  void score(std::span<const sz_text_item> items, std::span<double> scores, std::span<uint32_t> routes) override {
    for (size_t i = 0; i < items.size(); ++i) {
      const EmbedScore score = scorer_->score({items[i].text.ptr, items[i].text.len});
      scores[i] = score.value;
      if (!routes.empty()) routes[i] = uint32_t(score.route);
    }
  }

 private:
  std::unique_ptr<EmbedScorer> scorer_;
  bool finds_centres_ = true;
  size_t centres_ = 8;
  uint64_t seed_ = 1;
};

}  // namespace
}  // namespace sz::scorers

SZ_REGISTER_PLUGIN(sz::scorers::EmbedPlugin)
