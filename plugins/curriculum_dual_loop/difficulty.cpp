#include "difficulty.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <stdexcept>

#include "number_text.h"

namespace curriculum {
namespace {

using Scorers = std::vector<sz::Provider<sz_scorer>>;

bool is_called(const sz::Provider<sz_scorer>& scorer, const std::string& metric) {
  return scorer.name == metric || scorer.name == "scorer_" + metric || "scorer_" + scorer.name == metric;
}

Scorers chosen(const sz::Services& services, const std::string& metric) {
  Scorers all = services.all<sz_scorer>(SZ_SCORER);
  if (metric == "combined") {
    if (!all.empty()) return all;
    throw sz::Error(SZ_USAGE,
                    "plugins.curriculum_dual_loop.difficulty_metric is \"combined\", but no plugin that scores "
                    "texts is enabled; enable one, [plugins.scorer_tfidf] for example");
  }
  for (const auto& scorer : all) {
    if (is_called(scorer, metric)) return {scorer};
  }
  return {services.find<sz_scorer>(SZ_SCORER, metric.c_str())};  // throws, and says which there are
}

// Of all threads: scorers may use several.
double process_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

}  // namespace

std::vector<int32_t> languages_of(const sz::Data& data, sz_split split) {
  std::vector<int32_t> languages(static_cast<size_t>(data.count(split)));
  for (size_t i = 0; i < languages.size(); ++i) languages[i] = data.info(split, int64_t(i)).language;
  return languages;
}

std::vector<double> weights_of(const std::vector<std::string>& weights, const std::vector<std::string>& names) {
  std::vector<double> result(names.size(), weights.empty() ? 1.0 : 0.0);
  for (const std::string& entry : weights) {
    const size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    const auto same = [&](const std::string& other) { return other == name || other == "scorer_" + name; };
    const auto found = std::find_if(names.begin(), names.end(), same);
    size_t used = 0;
    double weight = -1;
    try {
      if (equals != std::string::npos) weight = std::stod(entry.substr(equals + 1), &used);
    } catch (const std::exception&) {
    }
    if (equals == std::string::npos || used != entry.size() - equals - 1 || !(weight >= 0) || !std::isfinite(weight)) {
      throw std::runtime_error("weights: \"" + entry + "\" should be a scorer's name, = and a number of 0 or more");
    }
    if (found == names.end()) throw std::runtime_error("weights: no loaded scorer is called \"" + name + "\"");
    result[size_t(found - names.begin())] = weight;
  }
  return result;
}

Difficulties score_data(const sz::Host& host, const Settings& settings, const std::vector<int32_t>& train_languages,
                        const std::vector<int32_t>& validation_languages) {
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = process_cpu_seconds();
  const sz::Data data(host);
  const Scorers scorers = chosen(sz::Services(host), settings.metric);
  std::vector<std::string> names;
  for (const auto& scorer : scorers) names.push_back(scorer.name);
  const std::vector<double> weights =
      settings.metric == "combined" ? weights_of(settings.weights, names) : std::vector<double>{1.0};
  std::vector<Measure> measures;
  for (size_t i = 0; i < scorers.size(); ++i) {
    if (weights[i] == 0) continue;
    measures.push_back(
        {data.scores(SZ_TRAIN, names[i].c_str()), data.scores(SZ_VALIDATION, names[i].c_str()), weights[i]});
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::string by;
  for (const std::string& name : names) by += (by.empty() ? "" : ", ") + name;
  sz::Log(host).info("scored " + std::to_string(train_languages.size() + validation_languages.size()) + " samples by " +
                     by + " in " + number(seconds) + " s, " + number(process_cpu_seconds() - cpu_start) +
                     " s of CPU time");
  return difficulties(measures, train_languages, validation_languages);
}

}  // namespace curriculum
