// One training pass of our GPT-2 over weights and tokens from a file: its loss and every gradient into another.
//
//   dump_gradients LAYERS WIDTH HEADS IN.safetensors OUT.safetensors
//
// IN: parameters by our names, fp32; "ids" and "labels" [rows, cols] int64; "mask" [rows, cols] fp32.
// OUT: "loss" [1] fp32 (the mean over unmasked tokens), gradients under the parameters' names.
#include <cstdio>
#include <cstdlib>

#include "checkpoint/safetensors.h"
#include "model/services.h"
#include "ops/allocator.h"
#include "train/segment_runner.h"
#include "unit/train/leaf_residency.h"

namespace sz::test {
namespace {

template <class T>
std::vector<T> read_all(const SafetensorsReader& file, const std::string& name) {
  const TensorInfo* const tensor = file.find(name);
  if (!tensor) throw std::runtime_error("no tensor " + name);
  std::vector<T> values(size_t(tensor->end - tensor->begin) / sizeof(T));
  file.read(*tensor, 0, tensor->end - tensor->begin, values.data());
  return values;
}

MicroBatch read_batch(const SafetensorsReader& file) {
  MicroBatch batch;
  const std::vector<int64_t>& shape = file.find("ids")->shape;
  batch.rows = shape.at(0);
  batch.cols = shape.at(1);
  batch.ids = read_all<int64_t>(file, "ids");
  batch.labels = read_all<int64_t>(file, "labels");
  batch.mask = read_all<float>(file, "mask");
  for (const float m : batch.mask) batch.tokens += int64_t(m);
  for (int64_t r = 0; r < batch.rows; ++r) {
    batch.sample.push_back(r);
    batch.position.push_back(uint64_t(r));
    batch.plan_index.push_back(int32_t(r));
  }
  return batch;
}

void read_parameters(const SafetensorsReader& file, const ModelDeclaration& model, LeafResidency& residency) {
  for (size_t i = 0; i < model.parameters.size(); ++i) {
    const ParameterDeclaration& declared = model.parameters[i];
    const TensorInfo* const tensor = file.find(declared.name);
    const bool fits = tensor && tensor->shape == declared.shape;
    if (!fits) throw std::runtime_error(declared.name + " is missing or misshapen");
    at::Tensor values = at::empty(declared.shape, at::kFloat);
    file.read(*tensor, 0, tensor->end - tensor->begin, values.data_ptr());
    residency.parameters[i] = values.requires_grad_(true);
  }
}

void put(SafetensorsWriter& out, const std::string& name, const at::Tensor& tensor) {
  const at::Tensor values = tensor.detach().to(at::kFloat).contiguous();
  out.begin(name, DType::kF32, values.sizes().vec());
  out.append(values.const_data_ptr(), size_t(values.numel()) * sizeof(float));
}

int run(char** argv) {
  const SafetensorsReader in(argv[4]);
  ModelOptions options;
  options.layers = std::atoi(argv[1]);
  options.width = std::atoi(argv[2]);
  options.heads = std::atoi(argv[3]);
  options.vocabulary = in.find("embedding.token")->shape.at(0);
  options.context = in.find("embedding.position")->shape.at(0);
  const ModelDeclaration model = make_gpt2()->declare(options, make_cross_entropy());

  LeafResidency residency(at::kFloat);
  Residency::Setup setup;
  setup.model = &model;
  residency.build(setup);
  read_parameters(in, model, residency);

  HookTable hooks;
  SegmentRunner::Parts parts{&model, &residency, &hooks, {}, 0};
  parts.dtypes.parameters.resize(model.parameters.size());
  parts.dtypes.segments.resize(model.segments.size());
  SegmentRunner runner(std::move(parts));
  const MicroBatch batch = read_batch(in);
  std::vector<float> weights = batch.mask;
  for (float& w : weights) w /= float(batch.tokens);
  residency.begin_step();
  HookInfo at;
  at.micro_batch = 0;
  const PassOutput pass = runner.forward(at, batch, weights, Mode::kTrain);
  runner.backward(at, batch, true);

  SafetensorsWriter out(argv[5]);
  put(out, "loss", (pass.token_loss.to(at::kDouble).sum() / double(batch.tokens)).reshape({1}));
  for (size_t i = 0; i < model.parameters.size(); ++i) put(out, model.parameters[i].name, residency.gradients[i]);
  out.finish();
  return 0;
}

}  // namespace
}  // namespace sz::test

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "dump_gradients LAYERS WIDTH HEADS IN.safetensors OUT.safetensors\n");
    return 2;
  }
  sz::install_allocator();
  try {
    return sz::test::run(argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "dump_gradients: %s\n", e.what());
    return 1;
  }
}
