#include <udpipe.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "scorer_syntax/depth_parser.h"
#include "text/model_files.h"

namespace sz::scorers {
namespace {

namespace udpipe = ufal::udpipe;

// words[0] is the technical root; each word names its head.
int levels(const udpipe::sentence& sentence) {
  const size_t n = sentence.words.size();
  int deepest = 0;
  for (size_t i = 1; i < n; ++i) {
    int depth = 0;
    for (size_t at = i; at != 0 && depth < int(n); at = size_t(std::max(sentence.words[at].head, 0))) ++depth;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

class UdpipeParser final : public DepthParser {
 public:
  explicit UdpipeParser(const std::string& path) {
    if (!std::filesystem::is_regular_file(path)) text::missing_model(path, "the UDPipe model");
    model_.reset(udpipe::model::load(path.c_str()));
    if (!model_) throw text::ModelError(path + " is not a UDPipe model");
  }

  std::optional<double> depth(const std::string& text, bool) const override {
    const std::unique_ptr<udpipe::input_format> tokenizer(model_->new_tokenizer(udpipe::model::TOKENIZER_PRESEGMENTED));
    if (!tokenizer) return std::nullopt;
    tokenizer->set_text(text);
    udpipe::sentence sentence;
    std::string error;
    int deepest = 0;
    while (tokenizer->next_sentence(sentence, error)) {
      if (!model_->tag(sentence, udpipe::model::DEFAULT, error)) return std::nullopt;
      if (!model_->parse(sentence, udpipe::model::DEFAULT, error)) return std::nullopt;
      deepest = std::max(deepest, levels(sentence));
    }
    if (!error.empty() || deepest < 1) return std::nullopt;
    return deepest;
  }

 private:
  std::unique_ptr<udpipe::model> model_;
};

}  // namespace

std::unique_ptr<DepthParser> make_udpipe_parser(const std::string& model) {
  return std::make_unique<UdpipeParser>(model);
}

}  // namespace sz::scorers
