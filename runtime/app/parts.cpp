#include "app/parts.h"

#include "app/settings.h"
#include "model/services.h"
#include "optim/make_optimizer.h"

namespace sz {

void add_builtin_services(ServiceRegistry& registry, const Config& config) {
  const std::string runtime = "the runtime";
  registry.add("sz.architecture/1", "GPT-2", runtime, std::const_pointer_cast<Architecture>(make_gpt2()));
  registry.add("sz.loss/1", "cross_entropy", runtime, std::const_pointer_cast<Loss>(make_cross_entropy()));
  for (const std::string& name : optimizer_names()) {
    registry.add("sz.optimizer/1", name, runtime, std::shared_ptr<Optimizer>(make_optimizer(name, optimizer_params(config))));
  }
  for (const char* decay : {"cosine", "linear", "constant"}) {
    registry.add("sz.schedule/1", decay, runtime, std::make_shared<ScheduleFactory>(make_schedule));
  }
}

}  // namespace sz
