// AdamW: Loshchilov, Hutter, "Decoupled weight decay regularization", ICLR 2019.
#pragma once
#include <memory>

#include "optim/optimizer.h"

namespace sz {

struct AdamWParams {
  double beta1 = 0.9;
  double beta2 = 0.95;
  double eps = 1e-8;
  double weight_decay = 0.1;  // only where unit.decay
};

// States "exp_avg" (m) and "exp_avg_sq" (v). With g = gradient * multiplier and step t from 1:
//   m += (1 - beta1) (g - m)                    v = beta2 v + (1 - beta2) g^2
//   master = (1 - lr weight_decay) master - lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps)
//   mirror = master, rounded to nearest even
// in one pass over memory. Element-wise, and bit-identical for any thread count, any split of a unit and any CPU.
// Gradients: kF32, kF16, kBF16; mirror: kF16, kBF16, kF32. Throws Error(kUsage) for parameters out of range.
std::unique_ptr<Optimizer> make_adamw(const AdamWParams& params);

}  // namespace sz
