#include "optim/make_optimizer.h"

#include "base/error.h"

namespace sz {

std::vector<std::string> optimizer_names() { return {"AdamW"}; }

std::unique_ptr<Optimizer> make_optimizer(const std::string& type, const OptimizerParams& params) {
  if (type == "AdamW") return make_adamw({params.beta1, params.beta2, params.eps, params.weight_decay});
  std::string names;
  for (const std::string& name : optimizer_names()) names += (names.empty() ? "" : ", ") + name;
  throw Error(Exit::kUsage, "optimizer.type = \"" + type + "\": no such optimizer; there are: " + names);
}

}  // namespace sz
