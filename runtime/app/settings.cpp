#include "app/settings.h"

#include <algorithm>
#include <initializer_list>

#include "base/format.h"

namespace sz {
namespace {

// Where decay ends, or the tail stays, must not be above the peak. A constant rate without a tail never gets there.
void check_min_lr(const Config& c, std::vector<std::string>& faults) {
  const double lr = c.get_float("optimizer.lr"), min_lr = c.get_float("optimizer.schedule.min_lr");
  const bool constant = c.get_string("optimizer.schedule.decay_type") == "constant";
  if (min_lr <= lr || (constant && c.get_int("optimizer.schedule.tail_steps") == 0)) return;
  if (c.where("optimizer.schedule.min_lr").file.empty()) {
    faults.push_back(c.cite("optimizer.lr") + ": " + format("%g", lr) +
                     " is below the default of optimizer.schedule.min_lr, " + format("%g", min_lr) +
                     ", where the decay ends; set that as well");
  } else {
    faults.push_back(c.cite("optimizer.schedule.min_lr") + ": " + format("%g", min_lr) + " is above optimizer.lr, " +
                     format("%g", lr));
  }
}

}  // namespace

std::vector<std::string> cross_key_faults(const Config& c) {
  std::vector<std::string> faults;
  const auto fault = [&](const std::string& path, const std::string& what) {
    faults.push_back(c.cite(path) + ": " + what);
  };
  // A key that is wrong by itself has been told of, and tells nothing of others.
  const auto sound = [&](std::initializer_list<const char*> paths) {
    return std::none_of(paths.begin(), paths.end(), [&](const char* path) { return c.is_faulty(path); });
  };
  if (sound({"train.steps", "train.epochs"})) {
    const int64_t steps = c.get_int("train.steps"), epochs = c.get_int("train.epochs");
    if (steps == 0 && epochs == 0 && !c.has_unknown()) {
      fault("train.steps", "neither train.steps nor train.epochs says how long to train; set one of them");
    }
    if (steps > 0 && epochs > 0) fault("train.epochs", "train.steps is set as well; give one of the two");
  }
  if (sound({"model.width", "model.heads"}) && c.get_int("model.width") % c.get_int("model.heads") != 0) {
    fault("model.heads", std::to_string(c.get_int("model.heads")) + " does not divide model.width = " +
                             std::to_string(c.get_int("model.width")));
  }
  if (sound({"optimizer.betas"}) && c.get_float_list("optimizer.betas").size() != 2) {
    fault("optimizer.betas", "expected two numbers");
  }
  if (sound({"optimizer"})) check_min_lr(c, faults);
  if (c.has("optimizer.schedule.warmup_steps") && c.has("optimizer.schedule.warmup_epochs")) {
    fault("optimizer.schedule.warmup_epochs", "warmup_steps is set as well; give one of the two");
  }
  const std::string& name = c.get_string("run.name");
  if (sound({"run.name"}) && (name.empty() || name.find('/') != std::string::npos || name[0] == '.')) {
    fault("run.name", "must be a plain folder name, is \"" + name + "\"");
  }
  return faults;
}

PrepareOptions prepare_options(const Config& c, bool progress) {
  PrepareOptions options;
  options.paths = c.get_string_list("data.paths");
  options.read.separator = parse_separator(c.get_string("data.separator"));
  options.read.text_field = c.get_string("data.text_field");
  options.read.prompt_field = c.get_string("data.prompt_field");
  options.read.response_field = c.get_string("data.response_field");
  options.tokenizer = c.get_string("data.tokenizer");
  options.vocabulary = c.get_int("data.vocabulary");
  options.validation = c.get_float("data.validation");
  options.seed = uint64_t(c.get_int("data.seed"));
  options.cache = c.get_string("data.cache");
  options.progress = progress;
  return options;
}

ModelOptions model_options(const Config& c, int64_t vocabulary) {
  ModelOptions options;
  options.type = c.get_string("model.type");
  options.layers = c.get_int("model.layers");
  options.width = c.get_int("model.width");
  options.heads = c.get_int("model.heads");
  options.dropout = c.get_float("model.dropout");
  options.context = c.get_int("train.context");
  options.vocabulary = vocabulary;
  return options;
}

OptimizerParams optimizer_params(const Config& c) {
  const std::vector<double>& betas = c.get_float_list("optimizer.betas");
  return {betas[0], betas[1], c.get_float("optimizer.eps"), c.get_float("optimizer.weight_decay")};
}

ScheduleParams schedule_params(const Config& c, int64_t total_steps, int64_t steps_per_epoch) {
  ScheduleParams params;
  params.decay_type = c.get_string("optimizer.schedule.decay_type");
  params.lr = c.get_float("optimizer.lr");
  params.min_lr = c.get_float("optimizer.schedule.min_lr");
  params.total_steps = total_steps;
  params.steps_per_epoch = steps_per_epoch;
  params.tail_steps = c.get_int("optimizer.schedule.tail_steps");
  if (c.has("optimizer.schedule.warmup_epochs")) {
    params.warmup_epochs = c.get_float("optimizer.schedule.warmup_epochs");
  } else {
    params.warmup_steps = c.has("optimizer.schedule.warmup_steps") ? c.get_int("optimizer.schedule.warmup_steps")
                                                                  : std::min<int64_t>(2000, total_steps / 10);
  }
  return params;
}

TrainOptions train_options(const Config& c, const std::string& run_folder) {
  TrainOptions options;
  options.steps = c.get_int("train.steps");
  options.epochs = c.get_int("train.epochs");
  options.micro_batch = c.get_int("train.micro_batch");
  options.accumulation = c.get_int("train.accumulation");
  if (c.has("train.grad_clip")) options.grad_clip = c.get_float("train.grad_clip");
  options.stable_every = c.get_int("train.stable_every");
  options.stable_after = c.get_int("train.stable_after");
  options.eval_every = c.get_int("eval.every");
  options.eval_samples = c.get_int("eval.samples");
  options.checkpoint_every = c.get_int("checkpoint.every");
  options.checkpoint_keep = c.get_int("checkpoint.keep");
  options.prefetch = int(c.get_int("data.prefetch"));
  options.seed = uint64_t(c.get_int("run.seed"));
  options.checkpoints = run_folder + "/checkpoints";
  options.config_toml = c.to_toml();
  return options;
}

bool keep_stable(const Config& c, bool may_roll_back) {
  const std::string& snapshot = c.get_string("train.snapshot");
  return snapshot == "host" || (snapshot == "auto" && may_roll_back);
}

ReplicatedOptions replicated_options(const Config& c) {
  ReplicatedOptions options;
  options.bucket_bytes = int64_t(c.get_float("train.bucket_mb") * (1 << 20));
  return options;
}

std::string run_folder(const Config& c) { return c.get_string("run.out") + "/" + c.get_string("run.name"); }

Language log_language(const Config& c) {
  return c.get_string("log.language") == "zh" ? Language::kChinese : Language::kEnglish;
}

}  // namespace sz
