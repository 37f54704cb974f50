// GPT-2 (Radford et al., 2019): learned positions, pre-norm, GELU-tanh, tied embedding, residual dropout.
//
// A block is two segments, norm-attention-projection-dropout-add and norm-MLP-dropout-add: the boundary between
// them, right after the block's first dropout, is where selective recompute puts its marker, and one tensor
// crosses it. Attention probabilities are not dropped (as in llm.c): that would force the unfused path.
#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>

#include <cmath>

#include "base/error.h"
#include "model/block_segments.h"
#include "model/dense.h"
#include "model/loss_segment.h"
#include "model/services.h"
#include "ops/dropout.h"
#include "ops/linear.h"

namespace sz {
namespace {

class Embedding final : public Segment {
 public:
  explicit Embedding(double p) : p_(p) {}
  // {token table [vocabulary, width], position table [context, width]}, {ids} -> {x [rows, cols, width]}
  TensorList forward(const SegmentContext& context, const TensorList& parameters, const TensorList& inputs,
                     TensorList*) const override {
    const at::Tensor& ids = inputs[0];
    const at::Tensor positions = parameters[1].narrow(0, context.past, ids.size(1));
    at::Tensor x = at::embedding(parameters[0], ids) + positions;
    if (uses_randomness(context)) x = dropout(x, p_, {context.seed, context.index, 0}, context.positions);
    return {x};
  }

 private:
  double p_;
};

class FinalNorm final : public Segment {
 public:
  TensorList forward(const SegmentContext&, const TensorList& parameters, const TensorList& inputs,
                     TensorList*) const override {
    return {layer_norm(inputs[0], parameters[0], parameters[1]).y};
  }
};

class Head final : public Segment {
 public:
  TensorList forward(const SegmentContext&, const TensorList& parameters, const TensorList& inputs,
                     TensorList*) const override {
    return {sz::linear(inputs[0], parameters[0].to(inputs[0].scalar_type()))};
  }
};

class Builder {
 public:
  Builder(const ModelOptions& options, std::shared_ptr<const Loss> loss) : options_(options), loss_(std::move(loss)) {}

  ModelDeclaration build() {
    const int64_t width = options_.width;
    const int table = matrix("embedding.token", {options_.vocabulary, width}, 0.02, Role::kEmbedding);
    const int position = matrix("embedding.position", {options_.context, width}, 0.02, Role::kPosition);
    segment("embedding", {table, position}, std::make_shared<Embedding>(options_.dropout));
    for (int64_t i = 0; i < options_.layers; ++i) block("block." + std::to_string(i));
    segment("final_norm", norm_pair("final_norm"), std::make_shared<FinalNorm>());
    segment("loss", {table}, std::make_shared<LossSegment>(loss_));
    model_.head = {"head", {table}, std::make_shared<Head>()};
    model_.vocabulary = options_.vocabulary;
    model_.context = options_.context;
    return std::move(model_);
  }

 private:
  void block(const std::string& name) {
    const int64_t width = options_.width;
    // Residual projections start smaller by the square root of their number, as GPT-2's do.
    const double residual_std = 0.02 / std::sqrt(2.0 * double(options_.layers));
    std::vector<int> attention = norm_pair(name + ".attention.norm");
    linear(attention, name + ".attention.qkv", 3 * width, width, 0.02);
    linear(attention, name + ".attention.projection", width, width, residual_std);
    segment(name + ".attention", attention, std::make_shared<AttentionSegment>(options_.heads, options_.dropout));
    std::vector<int> mlp = norm_pair(name + ".mlp.norm");
    linear(mlp, name + ".mlp.up", 4 * width, width, 0.02);
    linear(mlp, name + ".mlp.down", width, 4 * width, residual_std);
    segment(name + ".mlp", mlp, std::make_shared<MlpSegment>(options_.dropout));
  }

  int add(ParameterDeclaration parameter) {
    model_.parameters.push_back(std::move(parameter));
    return int(model_.parameters.size()) - 1;
  }
  int matrix(const std::string& name, std::vector<int64_t> shape, double std, Role role) {
    return add({name, std::move(shape), role, Init::kNormal, std, true, true});
  }
  int vector(const std::string& name, int64_t size, Role role, Init init) {
    return add({name, {size}, role, init, 0, false, true});
  }
  std::vector<int> norm_pair(const std::string& name) {
    const int weight = vector(name + ".weight", options_.width, Role::kNorm, Init::kOnes);
    return {weight, vector(name + ".bias", options_.width, Role::kNorm, Init::kZeros)};
  }
  void linear(std::vector<int>& into, const std::string& name, int64_t out, int64_t in, double std) {
    into.push_back(matrix(name + ".weight", {out, in}, std, Role::kMatrix));
    into.push_back(vector(name + ".bias", out, Role::kBias, Init::kZeros));
  }
  void segment(const std::string& name, std::vector<int> parameters, std::shared_ptr<const Segment> segment) {
    model_.segments.push_back({name, std::move(parameters), std::move(segment)});
  }

  const ModelOptions& options_;
  std::shared_ptr<const Loss> loss_;
  ModelDeclaration model_;
};

class Gpt2 final : public Architecture {
 public:
  std::string name() const override { return "GPT-2"; }
  ModelDeclaration declare(const ModelOptions& options, std::shared_ptr<const Loss> loss) const override {
    if (options.width % options.heads != 0) {
      throw Error(Exit::kUsage, "model.heads: " + std::to_string(options.heads) + " does not divide model.width = " +
                                    std::to_string(options.width));
    }
    SZ_ASSERT(options.vocabulary > 0 && options.context > 0);
    return Builder(options, std::move(loss)).build();
  }
};

}  // namespace

std::shared_ptr<const Architecture> make_gpt2() { return std::make_shared<Gpt2>(); }

}  // namespace sz
