// The slot `residency`.
#pragma once
#include <functional>
#include <span>

#include <sz/error.hpp>
#include <sz/slots.h>

namespace sz::inline sdk {

class Residency {
 public:
  static constexpr const char* kId = SZ_RESIDENCY;
  using UnitVisitor = std::function<void(const sz_update_unit&)>;
  using PieceVisitor = std::function<void(const sz_export_piece&)>;

  virtual ~Residency() = default;
  virtual void build(const sz_residency_setup& setup) = 0;
  virtual void acquire(int32_t segment, sz_mode mode, sz_tensor_list* parameters) = 0;
  virtual void release(int32_t segment, sz_mode mode) = 0;
  virtual void acquire_head(sz_tensor_list* parameters) = 0;
  virtual void hold_all() = 0;
  virtual void let_go() = 0;
  virtual void begin_step() = 0;
  virtual void accumulate(int32_t segment, int32_t micro_batch, bool last, std::span<sz_tensor* const> gradients) = 0;
  virtual void finish_gradients() = 0;
  virtual sz_gradient_facts gradient_facts() = 0;  // struct_size need not be set
  virtual void for_each_unit(const UnitVisitor& visit) = 0;
  virtual void parameters_updated() = 0;
  virtual bool can_restore() const noexcept = 0;
  virtual void mark_stable() = 0;
  virtual void restore() = 0;
  virtual void export_pieces(const PieceVisitor& visit) = 0;
  virtual void import_pieces(const PieceVisitor& fill) = 0;

  template <class P>
  static const void* table() {
    static constexpr sz_residency kTable = {
        .struct_size = sizeof(sz_residency),
        .reserved = 0,
        .build = [](void* self, const sz_residency_setup* setup) {
          return detail::guard([&] { of<P>(self).build(*setup); });
        },
        .acquire = [](void* self, int32_t segment, sz_mode mode, sz_tensor_list* parameters) {
          return detail::guard([&] { of<P>(self).acquire(segment, mode, parameters); });
        },
        .release = [](void* self, int32_t segment, sz_mode mode) {
          return detail::guard([&] { of<P>(self).release(segment, mode); });
        },
        .acquire_head = [](void* self, sz_tensor_list* parameters) {
          return detail::guard([&] { of<P>(self).acquire_head(parameters); });
        },
        .hold_all = call<P, &Residency::hold_all>,
        .let_go = call<P, &Residency::let_go>,
        .begin_step = call<P, &Residency::begin_step>,
        .accumulate = [](void* self, int32_t segment, int32_t micro_batch, sz_bool last, uint64_t count,
                         sz_tensor* const* gradients) {
          return detail::guard([&] { of<P>(self).accumulate(segment, micro_batch, last != 0, {gradients, count}); });
        },
        .finish_gradients = call<P, &Residency::finish_gradients>,
        .gradient_facts = [](void* self, sz_gradient_facts* facts) {
          return detail::guard([&] {
            const uint32_t size = facts->struct_size;
            *facts = of<P>(self).gradient_facts();
            facts->struct_size = size;
          });
        },
        .for_each_unit = [](void* self, sz_visit_unit visit, void* context) {
          return detail::guard([&] {
            of<P>(self).for_each_unit([&](const sz_update_unit& unit) { check(visit(context, &unit)); });
          });
        },
        .parameters_updated = call<P, &Residency::parameters_updated>,
        .can_restore = [](void* self) { return sz_bool(of<P>(self).can_restore()); },
        .mark_stable = call<P, &Residency::mark_stable>,
        .restore = call<P, &Residency::restore>,
        .export_pieces = visit_pieces<P, &Residency::export_pieces>,
        .import_pieces = visit_pieces<P, &Residency::import_pieces>,
    };
    return &kTable;
  }

 private:
  template <class P>
  static Residency& of(void* self) {
    return detail::as<Residency, P>(self);
  }
  template <class P, void (Residency::*member)()>
  static sz_error* call(void* self) {
    return detail::guard([&] { (of<P>(self).*member)(); });
  }
  template <class P, void (Residency::*member)(const PieceVisitor&)>
  static sz_error* visit_pieces(void* self, sz_visit_piece visit, void* context) {
    return detail::guard([&] {
      (of<P>(self).*member)([&](const sz_export_piece& piece) { check(visit(context, &piece)); });
    });
  }
};

}  // namespace sz::inline sdk
