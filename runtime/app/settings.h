// From a resolved configuration to the options of the runtime's parts. Cross-key checks live here.
#pragma once
#include <string>
#include <vector>

#include "base/config.h"
#include "base/journal.h"
#include "data/prepare.h"
#include "model/services.h"
#include "optim/make_optimizer.h"
#include "optim/schedule.h"
#include "train/context.h"
#include "train/replicated_residency.h"

namespace sz {

// Faults that involve several keys, as `file:line:column: key: what is wrong`. Empty: none.
std::vector<std::string> cross_key_faults(const Config& config);

PrepareOptions prepare_options(const Config& config, bool progress);
ModelOptions model_options(const Config& config, int64_t vocabulary);
OptimizerParams optimizer_params(const Config& config);
ScheduleParams schedule_params(const Config& config, int64_t total_steps, int64_t steps_per_epoch);
TrainOptions train_options(const Config& config, const std::string& run_folder);
bool keep_stable(const Config& config, bool may_roll_back);  // what train.snapshot comes to
ReplicatedOptions replicated_options(const Config& config);
std::string run_folder(const Config& config);
Language log_language(const Config& config);

}  // namespace sz
