// Difficulties of a data set, by scorers that other plugins offer.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include <sz/data.hpp>
#include <sz/services.hpp>
#include <sz/log.hpp>

#include "ranks.h"
#include "settings.h"

namespace curriculum {

// Index into the source's languages, a sample of the split.
std::vector<int32_t> languages_of(const sz::Data& data, sz_split split);

// Weights of `names` as "name=0.5" gives them. Errors: std::runtime_error for one that names no scorer, or no number.
std::vector<double> weights_of(const std::vector<std::string>& weights, const std::vector<std::string>& names);

// Ranks both splits by the metric of the settings; the host scores samples that it has no scores of yet. Errors:
// sz::Error where no plugin offers the metric, saying which are offered.
Difficulties score_data(const sz::Host& host, const Settings& settings, const std::vector<int32_t>& train_languages,
                        const std::vector<int32_t>& validation_languages);

}  // namespace curriculum
