#include "plugin_host/plugin_residency.h"

#include "plugin_host/arguments.h"
#include "plugin_host/handles.h"
#include "plugin_host/unit_view.h"

namespace sz {
namespace {

// A visitor that a plugin calls back. What the visitor throws waits until the plugin has returned.
template <class Function>
struct Visit {
  const Function& function;
  std::exception_ptr thrown;

  template <class Body>
  sz_error* run(Body body) {
    try {
      body();
      return nullptr;
    } catch (...) {
      thrown = std::current_exception();
      return current_exception_as_error();
    }
  }
  // The visitor's own exception says more than what the plugin made of it.
  void finish(sz_error* error, const std::string& plugin, const char* what) {
    if (thrown) {
      host_offer().free_error(error);
      std::rethrow_exception(thrown);
    }
    check(error, plugin, what);
  }
};

using UnitVisit = Visit<std::function<void(UpdateUnit&)>>;
using PieceVisit = Visit<std::function<void(const ExportPiece&)>>;

sz_error* visit_unit(void* context, const sz_update_unit* from) {
  auto& visit = *static_cast<UnitVisit*>(context);
  return visit.run([&] {
    require_pointer(from, "unit");
    UpdateUnit unit = to_unit(*from);
    visit.function(unit);
  });
}

ExportPiece to_piece(const sz_export_piece& from) {
  require_size(from.struct_size, sizeof(sz_export_piece), "piece");
  ExportPiece piece;
  piece.parameter = required_text(from.parameter, "piece.parameter");
  piece.state = required_text(from.state, "piece.state");
  if (from.rank_count > 0) require_pointer(from.shape, "piece.shape");
  piece.shape.assign(from.shape, from.shape + from.rank_count);
  if (from.begin < 0 || from.end < from.begin) {
    throw Error(Exit::kPlugin, piece.parameter + ": a piece ends before it begins");
  }
  if (from.end > from.begin) require_pointer(from.data, "piece.data");
  piece.begin = from.begin;
  piece.end = from.end;
  piece.data = from.data;
  return piece;
}

sz_error* visit_piece(void* context, const sz_export_piece* from) {
  auto& visit = *static_cast<PieceVisit*>(context);
  return visit.run([&] {
    require_pointer(from, "piece");
    visit.function(to_piece(*from));
  });
}

std::vector<sz_parameter_dtypes> to_dtypes(const std::vector<ParameterDtypes>& from) {
  std::vector<sz_parameter_dtypes> result;
  for (const ParameterDtypes& d : from) {
    result.push_back({uint8_t(d.master), uint8_t(d.compute), uint8_t(d.accumulate), uint8_t(d.wire)});
  }
  return result;
}

std::vector<sz_segment_dtypes> to_dtypes(const std::vector<SegmentDtypes>& from) {
  std::vector<sz_segment_dtypes> result;
  for (const SegmentDtypes& d : from) {
    const uint8_t low = d.autocast_dtype == DType::kF16 ? SZ_AUTOCAST_F16 : SZ_AUTOCAST_BF16;
    result.push_back({uint8_t(d.activation), d.autocast ? low : uint8_t(SZ_AUTOCAST_NONE), {0, 0}});
  }
  return result;
}

}  // namespace

PluginResidency::PluginResidency(PluginInstance& plugin)
    : plugin_(plugin), table_(plugin.extension<sz_residency>(SZ_RESIDENCY)) {
  const sz_residency& t = *table_;
  const bool whole = t.build && t.acquire && t.release && t.acquire_head && t.hold_all && t.let_go && t.begin_step &&
                     t.accumulate && t.finish_gradients && t.gradient_facts && t.for_each_unit &&
                     t.parameters_updated && t.can_restore && t.mark_stable && t.restore && t.export_pieces &&
                     t.import_pieces;
  if (!whole) throw Error(Exit::kPlugin, "plugin '" + plugin.id() + "': sz.residency/1 lacks one of its functions");
}

void PluginResidency::build(const Setup& setup) {
  const auto parameters = to_dtypes(setup.dtypes.parameters);
  const auto segments = to_dtypes(setup.dtypes.segments);
  std::vector<const char*> states;
  for (const std::string& state : setup.optimizer_states) states.push_back(state.c_str());
  states.push_back(nullptr);
  const sz_residency_setup lent = {sizeof(sz_residency_setup),
                                   setup.optimizer_element_wise ? 1u : 0u,
                                   to_handle(const_cast<ModelDeclaration*>(setup.model)),
                                   parameters.size(),
                                   parameters.data(),
                                   segments.size(),
                                   segments.data(),
                                   setup.seed,
                                   states.data(),
                                   setup.keep_stable ? 1u : 0u,
                                   0};
  done(table_->build(plugin_.self(), &lent), "residency build");
}

TensorList PluginResidency::acquire(int segment, Mode mode) {
  TensorList parameters;
  done(table_->acquire(plugin_.self(), segment, sz_mode(mode), to_handle(parameters)), "residency acquire");
  return parameters;
}

void PluginResidency::release(int segment, Mode mode) {
  done(table_->release(plugin_.self(), segment, sz_mode(mode)), "residency release");
}

TensorList PluginResidency::acquire_head() {
  TensorList parameters;
  done(table_->acquire_head(plugin_.self(), to_handle(parameters)), "residency acquire_head");
  return parameters;
}

void PluginResidency::hold_all() { done(table_->hold_all(plugin_.self()), "residency hold_all"); }
void PluginResidency::let_go() { done(table_->let_go(plugin_.self()), "residency let_go"); }
void PluginResidency::begin_step() { done(table_->begin_step(plugin_.self()), "residency begin_step"); }

void PluginResidency::accumulate(int segment, int micro_batch, bool last, TensorList gradients) {
  const std::vector<sz_tensor*> handles = to_handles(gradients);
  done(table_->accumulate(plugin_.self(), segment, micro_batch, last ? 1 : 0, handles.size(), handles.data()),
       "residency accumulate");
}

void PluginResidency::finish_gradients() {
  done(table_->finish_gradients(plugin_.self()), "residency finish_gradients");
}

GradientFacts PluginResidency::gradient_facts() {
  sz_gradient_facts facts{};
  facts.struct_size = sizeof(facts);
  facts.first_non_finite_parameter = -1;
  done(table_->gradient_facts(plugin_.self(), &facts), "residency gradient_facts");
  return {facts.sum_squares, facts.non_finite, facts.first_non_finite_parameter};
}

void PluginResidency::for_each_unit(const std::function<void(UpdateUnit&)>& function) {
  UnitVisit visit{function, nullptr};
  visit.finish(table_->for_each_unit(plugin_.self(), &visit_unit, &visit), plugin_.id(), "residency for_each_unit");
}

void PluginResidency::parameters_updated() {
  done(table_->parameters_updated(plugin_.self()), "residency parameters_updated");
}

bool PluginResidency::can_restore() const { return table_->can_restore(plugin_.self()) != 0; }
void PluginResidency::mark_stable() { done(table_->mark_stable(plugin_.self()), "residency mark_stable"); }
void PluginResidency::restore() { done(table_->restore(plugin_.self()), "residency restore"); }

void PluginResidency::export_pieces(const std::function<void(const ExportPiece&)>& function) {
  PieceVisit visit{function, nullptr};
  visit.finish(table_->export_pieces(plugin_.self(), &visit_piece, &visit), plugin_.id(), "residency export_pieces");
}

void PluginResidency::import_pieces(const std::function<void(const ExportPiece&)>& function) {
  PieceVisit visit{function, nullptr};
  visit.finish(table_->import_pieces(plugin_.self(), &visit_piece, &visit), plugin_.id(), "residency import_pieces");
}

}  // namespace sz
