// The service sz.loss/1.
#pragma once
#include <sz/plugin.hpp>
#include <sz/services.h>

namespace sz::inline sdk {

class Loss {
 public:
  static constexpr const char* kService = SZ_LOSS;
  virtual ~Loss() = default;
  // Appends scalar, per-token loss, per-token correct; with want_gradients also the gradient of hidden and one for each
  // of the head's parameters. Shapes and dtypes: sz_loss in services.h.
  virtual void compute(sz_tensor* hidden, sz_tensors head, sz_tensor* labels, sz_tensor* token_weight,
                       bool want_gradients, sz_tensor_list* results) const = 0;

  Provided provided() {  // how to answer provide()
    static constexpr sz_loss kTable = {sizeof(sz_loss), 0, compute_of};
    return {&kTable, this};
  }

 private:
  static sz_error* compute_of(void* object, sz_tensor* hidden, sz_tensors head, sz_tensor* labels,
                              sz_tensor* token_weight, sz_bool want_gradients, sz_tensor_list* results) {
    return detail::guard([&] {
      static_cast<const Loss*>(object)->compute(hidden, head, labels, token_weight, want_gradients != 0, results);
    });
  }
};

}  // namespace sz::inline sdk
