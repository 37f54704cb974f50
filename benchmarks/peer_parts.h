// What peers/common.py has the peers train, as parts of our loop.
#pragma once
#include <memory>
#include <nlohmann/json.hpp>

#include "model/services.h"
#include "optim/adamw.h"
#include "optim/schedule.h"

namespace sz::bench {

// config: layers, width, heads, context and vocabulary.
inline ModelDeclaration declare_peers_model(const nlohmann::json& config) {
  ModelOptions options;
  options.layers = config.at("layers");
  options.width = config.at("width");
  options.heads = config.at("heads");
  options.context = config.at("context");
  options.vocabulary = config.at("vocabulary");
  ModelDeclaration model = make_gpt2()->declare(options, make_cross_entropy());
  for (ParameterDeclaration& p : model.parameters) p.decay = true;  // as all peers here
  return model;
}

inline std::unique_ptr<Optimizer> make_peers_optimizer() {
  AdamWParams params;
  params.beta1 = 0.9;
  params.beta2 = 0.95;
  params.eps = 1e-8;
  params.weight_decay = 0.1;
  return make_adamw(params);
}

inline std::unique_ptr<Schedule> make_peers_schedule(int64_t steps) {
  ScheduleParams params;
  params.lr = params.min_lr = 6e-4;
  params.decay_type = "constant";
  params.warmup_steps = 0;
  params.total_steps = steps;
  return make_schedule(params);
}

}  // namespace sz::bench
