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

// Scores both splits with the metric of the settings. Errors: sz::Error where no plugin offers it, saying which are
// offered; std::runtime_error for a score that isn't finite.
Difficulties score_data(const sz::Host& host, const Settings& settings, const std::vector<int32_t>& train_languages,
                        const std::vector<int32_t>& validation_languages);

}  // namespace curriculum
