#include "optim/make_optimizer.h"

#include "base/error.h"
#include "base/text.h"

namespace sz {

std::vector<std::string> optimizer_names() { return {"AdamW"}; }

std::unique_ptr<Optimizer> make_optimizer(const std::string& type, const OptimizerParams& params) {
  if (type == "AdamW") return make_adamw({params.beta1, params.beta2, params.eps, params.weight_decay});
  throw Error(Exit::kUsage, "optimizer.type = \"" + type + "\": no such optimizer; there are: " +
                                joined(optimizer_names()));
}

}  // namespace sz
