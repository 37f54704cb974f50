// Segments of a plugin's making, and the service sz.architecture/1 that declares them.
#pragma once
#include <sz/model.hpp>
#include <sz/plugin.hpp>
#include <sz/services.h>

namespace sz::inline sdk {

// Pure: results depend on the arguments alone. Lists take tensors with Tensors::append or Torch::append.
class Segment {
 public:
  virtual ~Segment() = default;
  // `saved` is null where nothing is to be saved.
  virtual void forward(const sz_segment_context& context, sz_tensors parameters, sz_tensors inputs,
                       sz_tensor_list* outputs, sz_tensor_list* saved) const = 0;

  // Without a backward of its own: the host's autograd, which needs sz.torch/1.
  virtual const sz_segment* table() const {
    static constexpr sz_segment kTable = {sizeof(sz_segment), 0, forward_of, nullptr};
    return &kTable;
  }

 protected:
  static sz_error* forward_of(void* segment, const sz_segment_context* context, sz_tensors parameters,
                              sz_tensors inputs, sz_tensor_list* outputs, sz_tensor_list* saved) {
    return detail::guard(
        [&] { static_cast<const Segment*>(segment)->forward(*context, parameters, inputs, outputs, saved); });
  }
};

class SegmentWithBackward : public Segment {
 public:
  // Appends one gradient for each input and each parameter; null: none.
  virtual void backward(const sz_segment_context& context, sz_tensors parameters, sz_tensors inputs, sz_tensors saved,
                        sz_tensors grad_outputs, sz_tensor_list* grad_inputs,
                        sz_tensor_list* grad_parameters) const = 0;
  // 1 where forward honours sz_segment_context::save_level.
  virtual uint32_t save_levels() const { return 0; }

  const sz_segment* table() const final {
    static constexpr sz_segment kTables[2] = {{sizeof(sz_segment), 0, forward_of, backward_of},
                                              {sizeof(sz_segment), 1, forward_of, backward_of}};
    return &kTables[save_levels() > 0];
  }

 private:
  static sz_error* backward_of(void* segment, const sz_segment_context* context, sz_tensors parameters,
                               sz_tensors inputs, sz_tensors saved, sz_tensors grad_outputs,
                               sz_tensor_list* grad_inputs, sz_tensor_list* grad_parameters) {
    return detail::guard([&] {
      const Segment* base = static_cast<const Segment*>(segment);
      static_cast<const SegmentWithBackward*>(base)->backward(*context, parameters, inputs, saved, grad_outputs,
                                                              grad_inputs, grad_parameters);
    });
  }
};

// The void* for OpenModel::add_segment beside segment.table().
inline void* as_object(Segment& segment) { return &segment; }

class Architecture {
 public:
  static constexpr const char* kService = SZ_ARCHITECTURE;
  virtual ~Architecture() = default;
  // Into an empty model, with OpenModel; segments handed to it live as long as the plugin.
  virtual void declare(const sz_model_options& options, sz_model* model) = 0;

  Provided provided() {  // how to answer provide()
    static constexpr sz_architecture kTable = {sizeof(sz_architecture), 0, declare_of};
    return {&kTable, this};
  }

 private:
  static sz_error* declare_of(void* object, const sz_model_options* options, sz_model* model) {
    return detail::guard([&] { static_cast<Architecture*>(object)->declare(*options, model); });
  }
};

}  // namespace sz::inline sdk
