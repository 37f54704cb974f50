#include "zero3.h"

#include <sz/alloc.hpp>
#include <sz/config.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "square_sum.h"

namespace zero3 {

sz::Descriptor Zero3::describe() {
  return sz::Descriptor("zero3_async_io", "1.0.0")
      .licence("Apache-2.0")
      .summary("shards optimizer state, gradients and parameters over the ranks, with gathers ahead of compute",
               "将优化器状态、梯度和参数分片到各进程，并在计算之前预取参数")
      .need(SZ_NEED_INTERFACE, SZ_TORCH)
      .slot("residency")
      .key({.name = "stage", .type = SZ_KEY_INT, .default_toml = "3",
            .help = "1: optimizer state is sharded; 2: gradients too; 3: parameters too", .min = 1, .max = 3})
      .key({.name = "prefetch_segments", .type = SZ_KEY_INT, .default_toml = "2",
            .help = "segments whose parameters are gathered ahead, by the recorded order", .min = 0, .max = 1024})
      .key({.name = "persist_threshold", .type = SZ_KEY_INT, .default_toml = "10000",
            .help = "parameters of at most so many elements stay whole on every rank in stage 3", .unit = "elements",
            .min = 0, .max = 1e12})
      .key({.name = "overlap", .type = SZ_KEY_BOOL, .default_toml = "true",
            .help = "gather ahead of compute, and reduce behind backward"})
      .key({.name = "verify", .type = SZ_KEY_BOOL, .default_toml = "false",
            .help = "compare across ranks what each of them gathered; slow"});
}

void Zero3::start() {
  options_ = Options::read(host());
  torch_.emplace(host());
  comm_.emplace(host());
  report_.emplace(host());
  gathers_.emplace(host(), Gathers::Options{options_.verify});
}

// --- building ------------------------------------------------------------------------------------------------------

void Zero3::build(const sz_residency_setup& setup) {
  if (!setup.optimizer_element_wise) {
    throw sz::Error(SZ_USAGE, "plugins.zero3_async_io cuts parameters into shards, but the optimizer needs whole "
                              "matrices: choose an element-wise one (optimizer.type = \"AdamW\"), or switch the "
                              "plugin off");
  }
  keep_stable_ = setup.keep_stable != 0;
  read_model(setup);
  layout_ = make_layout(model_, comm_->size(), options_.persist_threshold);
  make_units();
  initialise(setup);
  // As many as segments may be on their way, so that no rank waits here for one that runs in another order.
  size_t most_units = 1;
  for (const auto& units : layout_.units_of_segment) most_units = std::max(most_units, units.size());
  reductions_.emplace(host(), units_,
                      Reductions::Options{options_.overlap, most_units * size_t(options_.prefetch_segments + 1)});
}

void Zero3::read_model(const sz_residency_setup& setup) {
  model_api_.emplace(host(), setup.model);
  for (const char* const* name = setup.optimizer_states; *name != nullptr; ++name) state_names_.emplace_back(*name);
  for (uint64_t p = 0; p < setup.parameter_count; ++p) {
    const sz_parameter_info info = model_api_->parameter(int64_t(p));
    ParameterSpec& spec = model_.parameters.emplace_back();
    spec.name = info.name;
    spec.shape.assign(info.shape, info.shape + info.ndim);
    spec.numel = 1;
    for (const int64_t extent : spec.shape) spec.numel *= extent;
    spec.decay = info.decay != 0;
    spec.trainable = info.trainable != 0;
    spec.dtypes = setup.parameters[p];
    if (spec.dtypes.master != SZ_F32) {
      throw sz::Error(SZ_USAGE, spec.name + ": the precision plan asks for a master that is not fp32");
    }
  }
  const auto parameters_of = [&](int64_t segment) {
    const sz_segment_info info = model_api_->segment(segment);
    return std::vector<int>(info.parameters, info.parameters + info.parameter_count);
  };
  for (uint64_t s = 0; s < setup.segment_count; ++s) {
    model_.segment_names.emplace_back(model_api_->segment(int64_t(s)).name);
    model_.segments.push_back(parameters_of(int64_t(s)));
  }
  model_.head = parameters_of(-1);
}

bool Zero3::whole_parameters(const UnitPlan& plan) const {
  return options_.stage < 3 || plan.persistent || comm_->size() == 1;
}

void Zero3::make_units() {
  KeptBytes bytes;
  for (const UnitPlan& plan : layout_.units) {
    const Keeps keeps{whole_parameters(plan), options_.stage == 1 || comm_->size() == 1};
    units_.push_back(
        std::make_unique<Unit>(plan, model_, comm_->rank(), comm_->size(), keeps, state_names_.size()));
    const Unit& unit = *units_.back();
    const int64_t shard = plan.shard * 4;
    bytes.parameters += keeps.parameters ? unit.whole_bytes() : unit.mixed() ? unit.shard_bytes() : 0;
    if (!keeps.parameters || unit.mixed()) bytes.parameters += shard;  // the master
    if (!plan.trainable) continue;
    bytes.gradients += int64_t(unit.gradient().nbytes());
    bytes.optimizer += int64_t(state_names_.size()) * shard;
    if (keep_stable_) bytes.snapshot += int64_t(1 + state_names_.size()) * shard;
  }
  report_->sharding(options_, comm_->size(), model_, layout_, bytes);
}

// Each rank makes its own shards alone: initial values are a function of (seed, name, element).
void Zero3::initialise(const sz_residency_setup& setup) {
  for (const auto& unit : units_) {
    float* const master = unit->master().data_ptr<float>();
    for (const sz_param_range& range : unit->ranges()) {
      model_api_->initialise(range.parameter, setup.seed, range.param_offset, range.param_offset + range.count,
                             master + range.unit_offset);
    }
  }
  recast_and_refresh();
}

// After masters were written by somebody else than the optimizer. Collective.
void Zero3::recast_and_refresh() {
  for (const auto& unit : units_) {
    gathers_->drop(*unit);  // what was gathered before is stale
    unit->recast();
    gathers_->refresh(*unit);
  }
  gathers_->finish_refresh();
}

// --- parameters there, and away again ------------------------------------------------------------------------------

void Zero3::note_next(int segment, sz_mode mode) {
  Order& order = order_of(mode);
  if (begins_by_itself(mode) && segment == 0) report_->order(order.begin_pass(), mode, order, model_);
  const Order::Event event = order.next(segment);
  report_->order(event, mode, order, model_);
  if (event == Order::Event::kChanged && !begins_by_itself(mode)) gathers_->announce_change(order.hash());
}

void Zero3::prefetch(const Order& order) {
  if (!options_.overlap) return;
  for (const int segment : order.upcoming(size_t(options_.prefetch_segments))) {
    for (const int u : layout_.units_of_segment[size_t(segment)]) gathers_->fetch(*units_[size_t(u)]);
  }
}

void Zero3::bring(const std::vector<int>& units) {
  for (const int u : units) {
    gathers_->arrive(*units_[size_t(u)]);
    ++units_[size_t(u)]->in_use;
  }
}

void Zero3::acquire(int32_t segment, sz_mode mode, sz_tensor_list* parameters) {
  const std::vector<int>& own = layout_.units_of_segment.at(size_t(segment));
  note_next(segment, mode);
  for (const int u : own) gathers_->fetch(*units_[size_t(u)]);
  prefetch(order_of(mode));
  bring(own);
  for (const int p : model_.segments[size_t(segment)]) {
    const Layout::Place place = layout_.places[size_t(p)];
    torch_->append(parameters, units_[size_t(place.unit)]->view(place.slot));
  }
}

bool Zero3::wanted_soon(int unit, const Order& order) const {
  if (!options_.overlap) return false;
  for (const int segment : order.upcoming(size_t(options_.prefetch_segments))) {
    const std::vector<int>& units = layout_.units_of_segment[size_t(segment)];
    if (std::find(units.begin(), units.end(), unit) != units.end()) return true;
  }
  return false;
}

void Zero3::release(int32_t segment, sz_mode mode) {
  for (const int u : layout_.units_of_segment.at(size_t(segment))) {
    Unit& unit = *units_[size_t(u)];
    --unit.in_use;
    if (unit.in_use == 0 && !held_ && !wanted_soon(u, order_of(mode))) gathers_->drop(unit);
  }
}

// There is no release of the head: what it needed goes with the next begin of anything else.
void Zero3::acquire_head(sz_tensor_list* parameters) {
  if (!held_) drop_idle();
  for (const int u : layout_.units_of_head) gathers_->fetch(*units_[size_t(u)]);
  for (const int u : layout_.units_of_head) gathers_->arrive(*units_[size_t(u)]);
  for (const int p : model_.head) {
    const Layout::Place place = layout_.places[size_t(p)];
    torch_->append(parameters, units_[size_t(place.unit)]->view(place.slot));
  }
}

void Zero3::drop_idle() {
  for (const auto& unit : units_) {
    if (unit->in_use == 0) gathers_->drop(*unit);
  }
}

namespace {

// Bytes that this machine could still give, or -1 where it does not say.
int64_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    long long kib = 0;
    if (std::sscanf(line.c_str(), "MemAvailable: %lld", &kib) == 1) return kib * 1024;
  }
  return -1;
}

}  // namespace

bool Zero3::whole_model_fits() {
  int64_t needed = 0;
  for (const auto& unit : units_) needed += unit->away() ? unit->whole_bytes() : 0;
  if (needed == 0) return true;
  const sz_alloc_info info = sz::Alloc(host()).read();
  const bool within_limit = info.limit_bytes == 0 || info.live_bytes + uint64_t(needed) <= info.limit_bytes;
  const int64_t available = available_bytes();  // of the machine, which may carry all ranks
  const bool fits = gathers_->all_agree(within_limit && (available < 0 || needed * comm_->size() <= available));
  report_->holding(fits, needed);
  return fits;
}

void Zero3::hold_all() {
  held_ = whole_model_fits();
  if (!held_) return;
  for (const auto& unit : units_) gathers_->fetch(*unit);
  for (const auto& unit : units_) gathers_->arrive(*unit);
}

void Zero3::let_go() {
  held_ = false;
  drop_idle();
}

// --- a step --------------------------------------------------------------------------------------------------------

void Zero3::begin_step() {
  gathers_->waits = {};
  reductions_->waits = {};
  drop_idle();
  Order& order = orders_[SZ_MODE_TRAIN];
  report_->order(order.begin_pass(), SZ_MODE_TRAIN, order, model_);
  reductions_->begin_step();
  prefetch(order);
}

void Zero3::accumulate(int32_t segment, int32_t, bool last, std::span<sz_tensor* const> gradients) {
  const std::vector<int>& parameters = model_.segments.at(size_t(segment));
  if (gradients.size() != parameters.size()) {
    throw sz::Error(SZ_PLUGIN_FAILED, "segment " + model_.segment_names[size_t(segment)] + " gave " +
                                          std::to_string(gradients.size()) + " gradients for " +
                                          std::to_string(parameters.size()) + " parameters");
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Layout::Place place = layout_.places[size_t(parameters[i])];
    if (gradients[i] == nullptr || !units_[size_t(place.unit)]->plan().trainable) continue;
    reductions_->add(place.unit, place.slot, (*torch_)(gradients[i]));
  }
  for (const int u : layout_.units_of_segment[size_t(segment)]) reductions_->user_done(u, last);
}

void Zero3::finish_gradients() {
  // Before anything is waited for that another rank, in another order, may never send.
  const Order& order = orders_[SZ_MODE_TRAIN];
  gathers_->compare_orders(order.pass(), order.hash(), model_.segment_names);
  reductions_->finish();
  drop_idle();
  publish_waits();
}

void Zero3::publish_waits() { report_->waits(gathers_->waits, reductions_->waits); }

sz_gradient_facts Zero3::gradient_facts() {
  sz_gradient_facts facts = {};
  facts.first_non_finite_parameter = -1;
  for (const auto& unit : units_) {
    if (!unit->plan().trainable) continue;
    const at::Tensor& gradient = unit->gradient_shard();
    const SquareSum sum = square_sum(gradient.const_data_ptr(), unit->plan().dtypes.accumulate, gradient.numel());
    facts.sum_squares += sum.sum_squares;
    facts.non_finite += sum.non_finite;
  }
  if (facts.non_finite > 0) facts.first_non_finite_parameter = first_non_finite();
  return facts;
}

int Zero3::first_non_finite() const {
  int first = -1;
  for (const auto& unit : units_) {
    if (!unit->plan().trainable) continue;
    const uint32_t dtype = unit->plan().dtypes.accumulate;
    const char* const data = static_cast<const char*>(unit->gradient_shard().const_data_ptr());
    for (const sz_param_range& range : unit->ranges()) {
      if (first >= 0 && first < range.parameter) continue;
      const SquareSum sum = square_sum(data + range.unit_offset * size_of(dtype), dtype, range.count);
      if (sum.non_finite > 0) first = int(range.parameter);
    }
  }
  return first;
}

// The gather of an updated unit runs while the next one is updated.
void Zero3::for_each_unit(const UnitVisitor& visit) {
  std::vector<float*> states;
  for (const auto& unit : units_) {
    if (!unit->plan().trainable) continue;
    visit(unit->to_update(states));
    gathers_->refresh(*unit);
    if (!options_.overlap) gathers_->finish_refresh();
  }
}

void Zero3::parameters_updated() {
  gathers_->finish_refresh();
  publish_waits();
}

// --- stable state, checkpoints -------------------------------------------------------------------------------------

void Zero3::mark_stable() {
  if (!keep_stable_) return;
  for (const auto& unit : units_) unit->mark_stable();
}

void Zero3::restore() {
  for (const auto& unit : units_) unit->restore();
  recast_and_refresh();
}

void Zero3::visit_pieces(const PieceVisitor& visit) {
  for (const auto& unit : units_) {
    for (const sz_param_range& range : unit->ranges()) {
      const ParameterSpec& spec = model_.parameters[size_t(range.parameter)];
      sz_export_piece piece = {sizeof(sz_export_piece),
                               uint32_t(spec.shape.size()),
                               spec.name.c_str(),
                               "master",
                               spec.shape.data(),
                               range.param_offset,
                               range.param_offset + range.count,
                               unit->master().data_ptr<float>() + range.unit_offset};
      visit(piece);
      for (size_t i = 0; i < unit->state_count(); ++i) {
        piece.state = state_names_[i].c_str();
        piece.data = unit->state(i).data_ptr<float>() + range.unit_offset;
        visit(piece);
      }
    }
  }
}

void Zero3::import_pieces(const PieceVisitor& fill) {
  visit_pieces(fill);
  recast_and_refresh();
}

}  // namespace zero3

SZ_REGISTER_PLUGIN(zero3::Zero3, sz::Residency)
