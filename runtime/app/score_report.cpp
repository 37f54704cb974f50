#include "app/score_report.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/format.h"
#include "base/text.h"

namespace sz {
namespace {

constexpr int kBins = 12, kBarWidth = 40;
constexpr size_t kFewSamples = 20;  // of which a distribution says little
constexpr size_t kExcerpt = 160;  // code points

std::vector<int64_t> samples_of(const ScoredSamples& all, int32_t language) {
  std::vector<int64_t> samples;
  for (size_t i = 0; i < all.language_of.size(); ++i) {
    if (all.language_of[i] == language) samples.push_back(int64_t(i));
  }
  return samples;
}

std::vector<double> values_of(const Measure& measure, const std::vector<int64_t>& samples) {
  std::vector<double> values;
  for (const int64_t i : samples) values.push_back(measure.scores.values[size_t(i)]);
  return values;
}

std::string bar(double share) {
  std::string text;
  for (int i = 0; i < int(std::lround(share * kBarWidth)); ++i) text += "█";
  return text;
}

// Bins between the 1st and the 99th percentile, so that a few outliers, which join the outer bins, don't flatten the
// rest.
std::string histogram(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double low = values[values.size() / 100], high = values[values.size() - 1 - values.size() / 100];
  if (!(high > low)) return format("    all %.4g\n", low);
  std::vector<size_t> counts(kBins, 0);
  for (const double value : values) {
    const double at = std::clamp((value - low) / (high - low) * kBins, 0.0, double(kBins - 1));
    ++counts[size_t(at)];
  }
  const double most = double(*std::max_element(counts.begin(), counts.end()));
  std::string text;
  for (int i = 0; i < kBins; ++i) {
    text += format("    %10.4g  %7zu  ", low + (high - low) * i / kBins, counts[size_t(i)]);
    text += bar(double(counts[size_t(i)]) / most) + "\n";
  }
  return text;
}

std::string summary(const std::vector<double>& values) {
  const double n = double(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return format("%zu samples, mean %.4g, deviation %.4g, from %.4g to %.4g", values.size(), mean,
                std::sqrt(squares / n), *low, *high);
}

std::string routes(const Measure& measure, const std::vector<int64_t>& samples) {
  std::map<std::string, size_t> counts;
  for (const int64_t i : samples) ++counts[measure.routes[measure.scores.routes[size_t(i)]]];
  std::string text;
  for (const auto& [route, count] : counts) text += (text.empty() ? "" : ", ") + route + " " + std::to_string(count);
  return text;
}

// One line, cut at a character.
std::string excerpt(const std::string& text) {
  std::u32string line;
  for (const char32_t cp : decode_utf8(text)) {
    if (line.size() == kExcerpt) return encode_utf8(line) + "…";
    const bool blank = cp <= ' ' || cp == 0x7F;
    if (blank && (line.empty() || line.back() == U' ')) continue;
    line.push_back(blank ? U' ' : cp);
  }
  return encode_utf8(line);
}

std::string extremes(const ScoredSamples& all, const Measure& measure, std::vector<int64_t> samples) {
  std::stable_sort(samples.begin(), samples.end(), [&](int64_t a, int64_t b) {
    return measure.scores.values[size_t(a)] < measure.scores.values[size_t(b)];
  });
  const std::pair<const char*, int64_t> shown[] = {
      {"easiest", samples.front()}, {"middle", samples[samples.size() / 2]}, {"hardest", samples.back()}};
  std::string text;
  for (const auto& [what, sample] : shown) {
    text += format("    %-8s %10.4g  ", what, measure.scores.values[size_t(sample)]) + excerpt(all.text(sample)) + "\n";
  }
  return text;
}

std::string correlations(const ScoredSamples& all) {
  std::string text = "rank correlation\n";
  for (size_t l = 0; l < all.languages.size(); ++l) {
    const std::vector<int64_t> samples = samples_of(all, int32_t(l));
    if (samples.size() < kFewSamples) continue;
    for (size_t a = 0; a < all.measures.size(); ++a) {
      for (size_t b = a + 1; b < all.measures.size(); ++b) {
        const double r = rank_correlation(values_of(all.measures[a], samples), values_of(all.measures[b], samples));
        text += format("  %-6s %s and %s: ", all.languages[l].c_str(), all.measures[a].name.c_str(),
                       all.measures[b].name.c_str());
        text += std::isfinite(r) ? format("%+.2f\n", r) : "undefined (one of them is constant)\n";
      }
    }
  }
  return text;
}

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (size_t k = i; k < end; ++k) ranks[order[k]] = double(i + end - 1) / 2;
    i = end;
  }
  return ranks;
}

}  // namespace

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double mean = (double(x.size()) - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : std::numeric_limits<double>::quiet_NaN();
}

std::string describe(const ScoredSamples& all) {
  std::string text;
  for (const Measure& measure : all.measures) {
    for (size_t l = 0; l < all.languages.size(); ++l) {
      const std::vector<int64_t> samples = samples_of(all, int32_t(l));
      if (samples.empty()) continue;
      const std::vector<double> values = values_of(measure, samples);
      text += measure.name + ", " + all.languages[l] + ": " + summary(values) + "\n";
      text += "    routes: " + routes(measure, samples) + "\n";
      if (samples.size() >= kFewSamples) text += histogram(values);
      text += extremes(all, measure, samples) + "\n";
    }
  }
  if (all.measures.size() > 1) text += correlations(all);
  return text;
}

}  // namespace sz
