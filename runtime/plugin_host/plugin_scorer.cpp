#include "plugin_host/plugin_scorer.h"

#include <sz/services.h>

#include <algorithm>
#include <cmath>

#include "plugin_host/instance.h"

namespace sz {
namespace {

sz_text_item lend(const ScoredText& text) { return {{text.text.c_str(), text.text.size()}, text.language}; }

// What sz_next_text works on. An exception of the source waits here until the plugin has returned.
struct Corpus {
  const std::function<bool(ScoredText&)>& next;
  ScoredText text;
  std::exception_ptr failure;
};

sz_bool next_text(void* context, sz_text_item* item) {
  Corpus& corpus = *static_cast<Corpus*>(context);
  if (corpus.failure) return 0;
  try {
    if (!corpus.next(corpus.text)) return 0;
    *item = lend(corpus.text);
    return 1;
  } catch (...) {
    corpus.failure = std::current_exception();
    return 0;
  }
}

}  // namespace

PluginScorer::PluginScorer(PluginInstance& plugin, const std::string& name) : plugin_(&plugin), name_(name) {
  const PluginInstance::Provided provided = plugin.provide(SZ_SCORER, name);
  table_ = static_cast<const sz_scorer*>(provided.table);
  object_ = provided.object;
  if (table_->struct_size < sizeof(sz_scorer) || !table_->score) {
    throw Error(Exit::kPlugin, "plugin '" + plugin.id() + "': sz.scorer/1 lacks one of its functions");
  }
  for (const char* const* route = table_->routes; route && *route; ++route) routes_.emplace_back(*route);
  if (routes_.empty()) routes_.emplace_back("text");
}

const std::string& PluginScorer::plugin() const { return plugin_->id(); }
bool PluginScorer::needs_fit() const { return table_->fit != nullptr; }

std::string PluginScorer::version() const {
  return plugin_->descriptor().version + " " + std::to_string(table_->version);
}

void PluginScorer::fit(const std::function<bool(ScoredText&)>& next) const {
  if (!table_->fit) return;
  Corpus corpus{next, {}, nullptr};
  sz_error* const error = table_->fit(object_, &next_text, &corpus);
  if (corpus.failure) {
    host_offer().free_error(error);
    std::rethrow_exception(corpus.failure);
  }
  check(error, plugin(), "reading the training corpus");
}

void PluginScorer::score(std::span<const ScoredText> texts, std::span<double> scores,
                         std::span<uint32_t> routes) const {
  std::vector<sz_text_item> items;
  items.reserve(texts.size());
  for (const ScoredText& text : texts) items.push_back(lend(text));
  std::fill(routes.begin(), routes.end(), 0u);
  check(table_->score(object_, items.size(), items.data(), scores.data(), routes.data()), plugin(), "scoring texts");
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string start = texts[i].text.substr(0, 60);
    if (!std::isfinite(scores[i])) {
      throw Error(Exit::kPlugin, "plugin '" + plugin() + "': the scorer '" + name_ + "' gave a score that is no " +
                                     "finite number to the text that begins \"" + start + "\"");
    }
    if (routes[i] >= routes_.size()) {
      throw Error(Exit::kPlugin, "plugin '" + plugin() + "': the scorer '" + name_ + "' gave the unknown route " +
                                     std::to_string(routes[i]) + " to the text that begins \"" + start + "\"");
    }
  }
}

}  // namespace sz
