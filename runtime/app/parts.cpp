#include "app/parts.h"

#include "model/services.h"

namespace sz {

void add_builtin_services(ServiceRegistry& registry) {
  const std::string runtime = "the runtime";
  registry.add("sz.architecture/1", "GPT-2", runtime, std::const_pointer_cast<Architecture>(make_gpt2()));
  registry.add("sz.loss/1", "cross_entropy", runtime, std::const_pointer_cast<Loss>(make_cross_entropy()));
  for (const std::string& name : optimizer_names()) {
    auto factory = std::make_shared<OptimizerFactory>();
    factory->make = [name](const OptimizerParams& params) { return make_optimizer(name, params); };
    registry.add("sz.optimizer/1", name, runtime, factory);
  }
  for (const char* decay : {"cosine", "linear", "constant"}) {
    auto factory = std::make_shared<ScheduleFactory>();
    factory->make = [](const ScheduleParams& params) { return make_schedule(params); };
    registry.add("sz.schedule/1", decay, runtime, factory);
  }
}

}  // namespace sz
