#include "scorer_embed/kmeans.h"

#include <algorithm>
#include <cmath>

namespace sz::scorers {
namespace {

// SplitMix64 (Steele, Lea and Flood 2014), as a number in [0, 1).
double next_uniform(uint64_t& state) {
  uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return double((z ^ z >> 31) >> 11) * 0x1p-53;
}

size_t nearest(const Vector& vector, const std::vector<Vector>& centres) {
  size_t best = 0;
  double closest = -2;
  for (size_t c = 0; c < centres.size(); ++c) {
    const double cosine = dot(vector, centres[c]);
    if (cosine > closest) {
      closest = cosine;
      best = c;
    }
  }
  return best;
}

// Each further seed is drawn with a chance that grows with its distance from those there are.
std::vector<Vector> seeds(const std::vector<Vector>& vectors, size_t count, uint64_t state) {
  std::vector<Vector> centres = {vectors[size_t(next_uniform(state) * double(vectors.size()))]};
  std::vector<double> distance(vectors.size(), 4.0);
  while (centres.size() < count) {
    double total = 0;
    for (size_t i = 0; i < vectors.size(); ++i) {
      distance[i] = std::min(distance[i], std::max(0.0, 2 - 2 * dot(vectors[i], centres.back())));
      total += distance[i];
    }
    if (total < 1e-9) break;  // fewer different vectors than centres
    double left = next_uniform(state) * total;
    size_t chosen = 0;
    while (chosen + 1 < vectors.size() && (left -= distance[chosen]) >= 0) ++chosen;
    centres.push_back(vectors[chosen]);
  }
  return centres;
}

}  // namespace

std::vector<Vector> cluster_centres(const std::vector<Vector>& vectors, size_t count, uint64_t seed) {
  if (vectors.empty() || count == 0) return {};
  std::vector<Vector> centres = seeds(vectors, count, seed);
  std::vector<size_t> of(vectors.size(), SIZE_MAX);
  for (int round = 0; round < 25; ++round) {
    bool moved = false;
    std::vector<Vector> sums(centres.size(), Vector(vectors[0].size(), 0.0f));
    for (size_t i = 0; i < vectors.size(); ++i) {
      const size_t c = nearest(vectors[i], centres);
      moved |= c != of[i];
      of[i] = c;
      for (size_t k = 0; k < vectors[i].size(); ++k) sums[c][k] += vectors[i][k];
    }
    if (!moved) break;
    for (size_t c = 0; c < centres.size(); ++c) {
      const double length = std::sqrt(dot(sums[c], sums[c]));
      if (length < 1e-9) continue;  // an empty cluster keeps its centre
      for (size_t k = 0; k < sums[c].size(); ++k) centres[c][k] = float(sums[c][k] / length);
    }
  }
  return centres;
}

}  // namespace sz::scorers
