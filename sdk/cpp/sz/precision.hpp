// The slot `precision`.
#pragma once
#include <span>
#include <string>

#include <sz/model.hpp>
#include <sz/slots.h>
#include <sz/votes.hpp>

namespace sz::inline sdk {

class Precision {
 public:
  static constexpr const char* kId = SZ_PRECISION;
  virtual ~Precision() = default;
  // Once; both come filled with fp32, an element for each parameter and segment of the model.
  virtual void plan(const sz_model* model, std::span<sz_parameter_dtypes> parameters,
                    std::span<sz_segment_dtypes> segments) = 0;
  virtual double scale() const noexcept = 0;
  virtual Vote judge(const sz_step_facts& facts) = 0;

  template <class P>
  static const void* table() {
    static constexpr sz_precision kTable = {
        sizeof(sz_precision), 0, plan_of<P>, [](void* self) { return detail::as<Precision, P>(self).scale(); },
        judge_of<P>};
    return &kTable;
  }

 private:
  template <class P>
  static sz_error* plan_of(void* self, const sz_model* model, sz_parameter_dtypes* parameters,
                           sz_segment_dtypes* segments) {
    return detail::guard([&] {
      const Model shape(static_cast<P*>(self)->host(), model);
      detail::as<Precision, P>(self).plan(model, {parameters, size_t(shape.parameter_count())},
                                          {segments, size_t(shape.segment_count())});
    });
  }
  template <class P>
  static sz_error* judge_of(void* self, const sz_step_facts* facts, sz_vote* vote) {
    return detail::guard([&] {
      Precision& precision = detail::as<Precision, P>(self);
      detail::fill(*vote, precision.judge(*facts), precision.reason_);
    });
  }
  detail::KeptReasons reason_;
};

}  // namespace sz::inline sdk
