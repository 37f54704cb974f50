#include <link-grammar/link-includes.h>

#include <algorithm>
#include <string_view>
#include <thread>

#include "scorer_syntax/depth_parser.h"
#include "text/model_files.h"

namespace sz::scorers {
namespace {

// How far most kinds of link may reach. Of the quickstart's sentences, 9 in 10 get the same depth as with the parser's
// own 16, in 3/4 of the time.
constexpr int kShortLinkWords = 8;

struct Closer {
  void operator()(Dictionary dictionary) const { dictionary_delete(dictionary); }
  void operator()(Parse_Options options) const { parse_options_delete(options); }
  void operator()(Sentence sentence) const { sentence_delete(sentence); }
  void operator()(Linkage linkage) const { linkage_delete(linkage); }
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Closer>;

// The deepest nesting of "(S (NP the cat) (VP sleeps))"; brackets in the text itself come as words of their own.
int nesting(std::string_view tree) {
  int depth = 0, deepest = 0;
  for (size_t i = 0; i < tree.size(); ++i) {
    const bool label_follows = i + 1 < tree.size() && tree[i + 1] >= 'A' && tree[i + 1] <= 'Z';
    if (tree[i] == '(' && label_follows) deepest = std::max(deepest, ++depth);
    if (tree[i] == ')' && depth > 0 && (i == 0 || tree[i - 1] != ' ')) --depth;
  }
  return deepest;
}

class LinkGrammarParser final : public DepthParser {
 public:
  explicit LinkGrammarParser(int seconds)
      : clock_limit_(seconds * int(std::max(1u, std::thread::hardware_concurrency()))) {
    lg_error_set_handler(nullptr, nullptr);
    dictionary_.reset(dictionary_create_lang("en"));
    if (!dictionary_) {
      throw text::ModelError("the English dictionary of link-grammar (package link-grammar-dictionaries-en) is not "
                             "installed: run ./scripts/setup.sh, which installs it");
    }
  }

  std::optional<double> depth(const std::string& text, bool fragment) const override {
    lg_error_set_handler(nullptr, nullptr);  // silent in this thread too
    Owned<Parse_Options> options(parse_options_create());
    parse_options_set_max_parse_time(options.get(), clock_limit_);
    parse_options_set_max_memory(options.get(), 256 << 20);
    parse_options_set_linkage_limit(options.get(), 100);
    parse_options_set_short_length(options.get(), kShortLinkWords);
    parse_options_set_spell_guess(options.get(), 0);
    parse_options_set_repeatable_rand(options.get(), true);
    parse_options_set_verbosity(options.get(), 0);
    Owned<Sentence> sentence(sentence_create(text.c_str(), dictionary_.get()));
    if (!sentence || sentence_split(sentence.get(), options.get()) < 0) return std::nullopt;
    const int most_unlinked = fragment ? sentence_length(sentence.get()) : 0;
    if (!parse(sentence.get(), options.get(), most_unlinked)) return std::nullopt;
    Owned<Linkage> linkage(linkage_create(0, sentence.get(), options.get()));
    if (!linkage) return std::nullopt;
    char* tree = linkage_print_constituent_tree(linkage.get(), SINGLE_LINE);
    const int levels = tree ? nesting(tree) : 0;
    linkage_free_constituent_tree_str(tree);
    if (levels < 1) return std::nullopt;
    return levels;
  }

 private:
  // With as few words outside the tree as it takes.
  static bool parse(Sentence sentence, Parse_Options options, int most_unlinked) {
    parse_options_set_min_null_count(options, 0);
    parse_options_set_max_null_count(options, most_unlinked);
    parse_options_set_islands_ok(options, most_unlinked > 0);
    parse_options_reset_resources(options);
    return sentence_parse(sentence, options) > 0 && !parse_options_resources_exhausted(options);
  }

  int clock_limit_;
  Owned<Dictionary> dictionary_;
};

}  // namespace

std::unique_ptr<DepthParser> make_link_grammar_parser(int seconds) {
  return std::make_unique<LinkGrammarParser>(seconds);
}

}  // namespace sz::scorers
