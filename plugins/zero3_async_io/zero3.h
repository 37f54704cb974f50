// The plugin: the slot residency with parameters, gradients and optimizer state cut into shards.
// Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", SC 2020.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sz/model.hpp>
#include <sz/plugin.hpp>
#include <sz/residency.hpp>
#include <sz/torch.hpp>

#include "gathers.h"
#include "layout.h"
#include "order.h"
#include "reductions.h"
#include "report.h"

namespace zero3 {

class Zero3 : public sz::Plugin, public sz::Residency {
 public:
  static sz::Descriptor describe();
  explicit Zero3(sz::Host host) : Plugin(host) {}
  void start() override;

  void build(const sz_residency_setup& setup) override;
  void acquire(int32_t segment, sz_mode mode, sz_tensor_list* parameters) override;
  void release(int32_t segment, sz_mode mode) override;
  void acquire_head(sz_tensor_list* parameters) override;
  void hold_all() override;
  void let_go() override;
  void begin_step() override;
  void accumulate(int32_t segment, int32_t micro_batch, bool last, std::span<sz_tensor* const> gradients) override;
  void finish_gradients() override;
  sz_gradient_facts gradient_facts() override;
  void for_each_unit(const UnitVisitor& visit) override;
  void parameters_updated() override;
  bool can_restore() const noexcept override { return keep_stable_; }
  void mark_stable() override;
  void restore() override;
  void export_pieces(const PieceVisitor& visit) override { visit_pieces(visit); }
  void import_pieces(const PieceVisitor& fill) override;

 private:
  void read_model(const sz_residency_setup& setup);
  void make_units();
  void initialise(const sz_residency_setup& setup);
  void recast_and_refresh();
  bool whole_parameters(const UnitPlan& plan) const;

  Order& order_of(sz_mode mode) { return orders_[mode == SZ_MODE_RECOMPUTE ? uint32_t(SZ_MODE_TRAIN) : mode]; }
  // A training pass is a step (begin_step); the others begin with the first segment.
  static bool begins_by_itself(sz_mode mode) { return mode == SZ_MODE_EVALUATE || mode == SZ_MODE_GENERATE; }
  void note_next(int segment, sz_mode mode);
  void prefetch(const Order& order);
  void bring(const std::vector<int>& units);
  bool wanted_soon(int unit, const Order& order) const;
  void drop_idle();
  bool whole_model_fits();
  void publish_waits();
  void visit_pieces(const PieceVisitor& visit);
  int first_non_finite() const;

  Options options_;
  ModelSpec model_;
  Layout layout_;
  std::vector<std::string> state_names_;
  bool keep_stable_ = false;
  std::vector<std::unique_ptr<Unit>> units_;
  std::array<Order, 4> orders_;  // by mode
  bool held_ = false;            // everything stays until let_go()

  std::optional<sz::Torch> torch_;
  std::optional<sz::Comm> comm_;
  std::optional<sz::Model> model_api_;
  std::optional<Gathers> gathers_;
  std::optional<Reductions> reductions_;
  std::optional<Report> report_;
};

}  // namespace zero3
