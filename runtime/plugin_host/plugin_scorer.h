// sz.scorer/1 of a plugin, for the application's cache of scores.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sz_scorer;

namespace sz {

class PluginInstance;

struct ScoredText {
  std::string text;      // valid UTF-8
  const char* language;  // tag; null: not known
};

// Lives no longer than the instance.
class PluginScorer {
 public:
  // Errors (of all functions): Error(kPlugin) naming the plugin.
  PluginScorer(PluginInstance& plugin, const std::string& name);

  const std::string& name() const { return name_; }  // what configurations call it: "tfidf"
  const std::string& plugin() const;                 // id
  std::string version() const;                       // the plugin's and its scores': another one, other scores
  const std::vector<std::string>& routes() const { return routes_; }

  // Shows it the training corpus; `next` gives false at the end. Nothing to do for a scorer that needs none.
  // Thread: main.
  void fit(const std::function<bool(ScoredText&)>& next) const;
  bool needs_fit() const;
  // Routes are indices into routes(). All values are finite, all routes known. Thread: any.
  void score(std::span<const ScoredText> texts, std::span<double> scores, std::span<uint32_t> routes) const;

 private:
  PluginInstance* plugin_;
  std::string name_;
  const sz_scorer* table_ = nullptr;
  void* object_ = nullptr;
  std::vector<std::string> routes_;
};

}  // namespace sz
