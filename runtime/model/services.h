// The services sz.architecture/1 and sz.loss/1.
#pragma once
#include <memory>
#include <string>

#include "model/declaration.h"

namespace sz {

struct LossResult {
  at::Tensor scalar;   // fp32, sum of token weight x loss
  at::Tensor loss;     // [rows, cols] fp32, unweighted; 0 where the weight is 0
  at::Tensor correct;  // [rows, cols] uint8
  at::Tensor grad_hidden;                // formed in forward, modes kTrain and kRecompute only
  TensorList grad_head;                  // like the head's parameters
};

// (hidden, head parameters, labels, token weight) -> loss and its gradients. Thread: main.
class Loss {
 public:
  virtual ~Loss() = default;
  virtual LossResult compute(const at::Tensor& hidden, const TensorList& head, const at::Tensor& labels,
                             const at::Tensor& token_weight, bool want_gradients) const = 0;
};

// Mean token cross-entropy through a linear head without bias, in chunks that never hold all logits.
std::shared_ptr<const Loss> make_cross_entropy();

struct ModelOptions {
  std::string type = "GPT-2";
  int64_t layers = 4, width = 128, heads = 4, context = 128, vocabulary = 0;
  double dropout = 0.0;
};

// A model family. Thread: main. Errors: Error(kUsage) naming the key.
class Architecture {
 public:
  virtual ~Architecture() = default;
  virtual std::string name() const = 0;
  virtual ModelDeclaration declare(const ModelOptions& options, std::shared_ptr<const Loss> loss) const = 0;
};

std::shared_ptr<const Architecture> make_gpt2();

}  // namespace sz
