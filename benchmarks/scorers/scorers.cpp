// Speed and memory of each scorer, on one thread: a JSON line a scorer and text.
//
//   bench_scorers [--limit MB] FILE...      texts, one document a paragraph; default: the quickstart's corpus
//
// Each scorer runs in a process of its own, so that its memory is its own.
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "benchmarks/measure.h"
#include "scorer_embed/embed.h"
#include "scorer_syntax/syntax.h"
#include "scorer_tfidf/tfidf.h"
#include "text/model_files.h"

namespace sz::bench {
namespace {

using Score = std::function<double(const std::string&)>;

struct Case {
  std::string name;
  std::function<Score(const std::vector<std::string>& corpus)> make;  // loads the models, and reads the corpus
};

std::vector<std::string> paragraphs(const std::string& path, size_t limit) {
  std::ifstream file(path, std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::string> out;
  size_t bytes = 0;
  for (size_t at = 0; at < all.size() && bytes < limit;) {
    const size_t end = std::min(all.find("\n\n", at), all.size());
    if (end > at) out.push_back(all.substr(at, end - at));
    bytes += end - at;
    at = end + 2;
  }
  return out;
}

Score tfidf(const std::vector<std::string>& corpus) {
  const auto splitter = std::make_shared<text::WordSplitter>(text::WordSplitter::load(text::models_folder("")));
  const auto scorer = std::make_shared<scorers::Tfidf>(splitter, scorers::TfidfOptions{});
  for (const std::string& document : corpus) scorer->add_document(document);
  scorer->finish_counting();
  return [scorer](const std::string& text) { return scorer->score(text).value; };
}

Score syntax(const std::vector<std::string>&) {
  const auto scorer = std::make_shared<scorers::SyntaxScorer>(
      scorers::make_link_grammar_parser(3), scorers::make_udpipe_parser(text::models_folder("") + "/chinese.udpipe"),
      scorers::SyntaxOptions{});
  return [scorer](const std::string& text) { return scorer->score(text).value; };
}

Score embed(const std::vector<std::string>& corpus) {
  const auto scorer = std::make_shared<scorers::EmbedScorer>(
      scorers::SentenceEncoder::load(text::models_folder("") + "/sentence_encoder"), scorers::Direction::kFarIsHard);
  for (size_t i = 0; i < std::min<size_t>(corpus.size(), 200); ++i) scorer->add_document(corpus[i]);
  scorer->find_centres(8, 1);
  return [scorer](const std::string& text) { return scorer->score(text).value; };
}

void measure(const Case& one, const std::string& path, const std::vector<std::string>& texts) {
  const double start = seconds();
  const Score score = one.make(texts);
  const double loaded = seconds() - start, loaded_mb = status_mb("VmRSS");
  size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size();
  const CpuTimes before = cpu_times();
  double sum = 0;
  for (const std::string& text : texts) sum += score(text);
  const CpuTimes after = cpu_times();
  const double cpu = after.own - before.own;
  const nlohmann::ordered_json line = {{"benchmark", "scorers"},
                                       {"scorer", one.name},
                                       {"text", std::filesystem::path(path).filename().string()},
                                       {"documents", texts.size()},
                                       {"mb", double(bytes) / 1e6},
                                       {"mb_per_cpu_second", double(bytes) / 1e6 / cpu},
                                       {"documents_per_cpu_second", double(texts.size()) / cpu},
                                       {"load_and_fit_s", loaded},
                                       {"memory_loaded_mb", loaded_mb},
                                       {"memory_peak_mb", status_mb("VmHWM")},
                                       {"mean_score", sum / double(texts.size())},
                                       {"other_cpu_percent", other_cpu_percent(before, after)}};
  std::cout << line.dump() << std::endl;
}

// False where the child failed.
bool in_own_process(const std::function<void()>& work) {
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    try {
      work();
      _exit(0);
    } catch (const std::exception& e) {
      std::cerr << e.what() << std::endl;
      _exit(1);
    }
  }
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int run(std::vector<std::string> arguments) {
  size_t limit = 1000000;
  if (arguments.size() >= 2 && arguments[0] == "--limit") {
    limit = size_t(std::stod(arguments[1]) * 1e6);
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  if (arguments.empty()) {
    arguments = {".cache/corpus/text/en/fortunes.txt", ".cache/corpus/text/en/anarchism.txt",
                 ".cache/corpus/text/zh/fortunes-zh.txt", ".cache/corpus/text/zh/debian-reference-zh-cn.txt"};
  }
  bool fine = true;
  for (const Case& one : {Case{"tfidf", tfidf}, Case{"syntax", syntax}, Case{"embed", embed}}) {
    for (const std::string& path : arguments) {
      const std::vector<std::string> texts = paragraphs(path, limit);
      if (texts.empty()) {
        std::cerr << path << ": no text; scripts/fetch_corpus.sh brings the quickstart's corpus" << std::endl;
        return 4;
      }
      fine = in_own_process([&] { measure(one, path, texts); }) && fine;
    }
  }
  return fine ? 0 : 1;
}

}  // namespace
}  // namespace sz::bench

int main(int argc, char** argv) { return sz::bench::run({argv + 1, argv + argc}); }
