// Clusters of unit vectors. Thread: any (a pure function).
#pragma once
#include <cstdint>
#include <vector>

#include "scorer_embed/encoder.h"

namespace sz::scorers {

// At most `count` centres of unit length, by cosine: spherical k-means (Dhillon and Modha 2001) from k-means++ seeds
// (Arthur and Vassilvitskii 2007), at most 25 rounds. The same for the same vectors in the same order.
std::vector<Vector> cluster_centres(const std::vector<Vector>& vectors, size_t count, uint64_t seed);

}  // namespace sz::scorers
