// Optimizers by name: the built-in providers of sz.optimizer/1.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "optim/adamw.h"

namespace sz {

// What `[optimizer]` gives to any of them; each takes what it knows.
struct OptimizerParams {
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;
  double weight_decay = 0.1;
};

std::vector<std::string> optimizer_names();

// Throws Error(kUsage), listing the names, for an unknown type.
std::unique_ptr<Optimizer> make_optimizer(const std::string& type, const OptimizerParams& params);

}  // namespace sz
