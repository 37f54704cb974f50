#include "ops/linear_cross_entropy.h"

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "base/error.h"
#include "ops/softmax_row.h"

namespace sz {

namespace {

constexpr int64_t kChunkBytes = int64_t(8) << 20;  // of logits: stays in the last-level cache
constexpr int64_t kMinimumRows = 32;               // below this the matrix products starve

// One call's state: inputs in the dtype that products run in, the rows that count, and buffers of one chunk.
class ChunkedLoss {
 public:
  ChunkedLoss(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels,
              const at::Tensor& token_weight)
      : hidden_(hidden.contiguous()),
        compute_(hidden.scalar_type() == at::kHalf ? at::kFloat : hidden.scalar_type()),
        wide_(compute_ == at::kDouble ? at::kDouble : at::kFloat),
        weight_(weight.to(compute_).contiguous()),
        labels_(labels.contiguous()),
        token_weight_(token_weight.to(wide_).contiguous()),
        vocabulary_(weight.size(0)),
        width_(weight.size(1)) {
    SZ_ASSERT(hidden.dim() == 2 && weight.dim() == 2 && hidden.size(1) == width_);
    SZ_ASSERT(hidden.scalar_type() == weight.scalar_type() && labels.scalar_type() == at::kLong);
    SZ_ASSERT(labels.numel() == hidden.size(0) && token_weight.numel() == hidden.size(0));
    select_rows();
  }

  LossOutput run(bool want_hidden_grad, bool want_weight_grad, int64_t chunk_rows) {
    prepare(want_hidden_grad, want_weight_grad, chunk_rows);
    const int64_t counted = int64_t(rows_.size());
    for (int64_t begin = 0; begin < counted; begin += chunk_) {
      run_chunk(begin, std::min(chunk_, counted - begin));
    }
    return std::move(out_);
  }

 private:
  double token_weight(int64_t row) const {
    return wide_ == at::kDouble ? token_weight_.const_data_ptr<double>()[row]
                                : double(token_weight_.const_data_ptr<float>()[row]);
  }

  void select_rows() {
    const int64_t n = hidden_.size(0);
    const int64_t* labels = labels_.const_data_ptr<int64_t>();
    for (int64_t row = 0; row < n; ++row) {
      if (token_weight(row) == 0) continue;
      if (labels[row] < 0 || labels[row] >= vocabulary_) {
        throw Error(Exit::kData, "label " + std::to_string(labels[row]) + " of row " + std::to_string(row) +
                                     " is outside the vocabulary of " + std::to_string(vocabulary_) +
                                     "; the token shards don't belong to this model: prepare the data again");
      }
      rows_.push_back(row);
    }
    dense_ = int64_t(rows_.size()) == n;
  }

  int64_t automatic_rows() const {
    const int64_t fitting = kChunkBytes / std::max<int64_t>(vocabulary_ * int64_t(c10::elementSize(compute_)), 1);
    return std::max(kMinimumRows, fitting / 16 * 16);
  }

  void prepare(bool want_hidden_grad, bool want_weight_grad, int64_t chunk_rows) {
    const int64_t n = hidden_.size(0);
    out_.loss = at::zeros({n}, hidden_.options().dtype(wide_));
    out_.correct = at::zeros({n}, hidden_.options().dtype(at::kByte));
    if (want_hidden_grad) out_.grad_hidden = dense_ ? at::empty_like(hidden_) : at::zeros_like(hidden_);
    if (want_weight_grad) out_.grad_weight = at::zeros({vocabulary_, width_}, hidden_.options().dtype(wide_));
    chunk_ = std::min(chunk_rows > 0 ? chunk_rows : automatic_rows(), std::max<int64_t>(int64_t(rows_.size()), 1));
    logits_ = at::empty({chunk_, vocabulary_}, hidden_.options().dtype(compute_));
  }

  void run_chunk(int64_t begin, int64_t n) {
    at::Tensor index;
    if (!dense_) index = at::from_blob(rows_.data() + begin, {n}, at::TensorOptions().dtype(at::kLong));
    const at::Tensor picked = dense_ ? hidden_.narrow(0, begin, n) : at::index_select(hidden_, 0, index);
    const at::Tensor hidden = picked.to(compute_);
    at::Tensor logits = logits_.narrow(0, 0, n);
    at::mm_out(logits, hidden, weight_.t());
    softmax(logits, begin, n);
    if (out_.grad_hidden.defined()) write_hidden_grad(logits, index, begin, n);
    if (out_.grad_weight.defined()) add_weight_grad(logits, hidden);
  }

  // Loss and correct of each row; the logits become their own gradient where one is wanted.
  void softmax(at::Tensor& logits, int64_t begin, int64_t n) {
    const bool gradient = out_.grad_hidden.defined() || out_.grad_weight.defined();
    const int64_t* labels = labels_.const_data_ptr<int64_t>();
    auto* correct = out_.correct.mutable_data_ptr<uint8_t>();
    at::parallel_for(0, n, 4, [&](int64_t first, int64_t last) {
      std::vector<float> scratch(compute_ == at::kBFloat16 ? size_t(vocabulary_) : 0);
      for (int64_t i = first; i < last; ++i) {
        const int64_t row = rows_[size_t(begin + i)];
        const SoftmaxRow r = softmax_of(logits, i, labels[row], token_weight(row), gradient, scratch.data());
        correct[row] = r.correct;
        if (wide_ == at::kDouble) {
          out_.loss.mutable_data_ptr<double>()[row] = r.loss;
        } else {
          out_.loss.mutable_data_ptr<float>()[row] = float(r.loss);
        }
      }
    });
  }

  SoftmaxRow softmax_of(at::Tensor& logits, int64_t i, int64_t label, double weight, bool gradient, float* scratch) {
    void* row = static_cast<char*>(logits.data_ptr()) + i * vocabulary_ * int64_t(logits.element_size());
    switch (compute_) {
      case at::kDouble: return softmax_row(static_cast<double*>(row), vocabulary_, label, weight, gradient);
      case at::kBFloat16:
        return softmax_row(static_cast<uint16_t*>(row), scratch, vocabulary_, label, float(weight), gradient);
      default: return softmax_row(static_cast<float*>(row), vocabulary_, label, float(weight), gradient);
    }
  }

  void write_hidden_grad(const at::Tensor& grad_logits, const at::Tensor& index, int64_t begin, int64_t n) {
    if (dense_ && compute_ == hidden_.scalar_type()) {
      at::Tensor target = out_.grad_hidden.narrow(0, begin, n);
      at::mm_out(target, grad_logits, weight_);
      return;
    }
    const at::Tensor grad = at::mm(grad_logits, weight_).to(hidden_.scalar_type());
    if (dense_) {
      out_.grad_hidden.narrow(0, begin, n).copy_(grad);
    } else {
      out_.grad_hidden.index_copy_(0, index, grad);
    }
  }

  void add_weight_grad(const at::Tensor& grad_logits, const at::Tensor& hidden) {
    if (compute_ == wide_) {
      out_.grad_weight.addmm_(grad_logits.t(), hidden);
    } else {
      out_.grad_weight.add_(at::mm(grad_logits.t(), hidden));
    }
  }

  at::Tensor hidden_;
  at::ScalarType compute_, wide_;  // of products; of losses and sums
  at::Tensor weight_, labels_, token_weight_;
  int64_t vocabulary_, width_, chunk_ = 1;
  std::vector<int64_t> rows_;  // those of weight other than 0
  bool dense_ = false;         // that is all of them
  at::Tensor logits_;
  LossOutput out_;
};

}  // namespace

LossOutput linear_cross_entropy(const at::Tensor& hidden, const at::Tensor& weight, const at::Tensor& labels,
                                const at::Tensor& token_weight, bool want_hidden_grad, bool want_weight_grad,
                                int64_t chunk_rows) {
  at::NoGradGuard no_grad;
  return ChunkedLoss(hidden, weight, labels, token_weight).run(want_hidden_grad, want_weight_grad, chunk_rows);
}

}  // namespace sz
