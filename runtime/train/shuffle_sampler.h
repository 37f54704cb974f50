// The default sampler: every sample once an epoch, in an order that is a pure function of (seed, epoch).
#pragma once
#include <memory>

#include "train/slots.h"

namespace sz {

std::unique_ptr<Sampler> make_shuffle_sampler();

}  // namespace sz
