#include "train/replicated_residency.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/error.h"
#include "base/hash.h"
#include "model/initialise.h"
#include "ops/dtypes.h"
#include "ops/reduce_check.h"
#include "train/buckets.h"
#include "train/flat_layout.h"
#include "train/gradient_buffers.h"

namespace sz {
namespace {

// Elements [begin, end) of n, rank r's even share in multiples of the alignment.
std::pair<int64_t, int64_t> share(int64_t n, int rank, int ranks) {
  const int64_t blocks = (n + FlatLayout::kAlign - 1) / FlatLayout::kAlign;
  const auto at = [&](int64_t r) { return std::min(n, blocks * r / ranks * FlatLayout::kAlign); };
  return {at(rank), at(rank + 1)};
}

class ReplicatedResidency final : public Residency {
 public:
  explicit ReplicatedResidency(const ReplicatedOptions& options) : options_(options) {}

  std::string name() const override { return "replicated"; }

  void build(const Setup& setup) override {
    setup_ = setup;
    layout_ = make_flat_layout(*setup.model, setup.dtypes);
    master_ = at::zeros({layout_.numel}, at::kFloat);
    gradients_ = GradientBuffers(layout_);
    for (size_t i = 0; i < setup.optimizer_states.size(); ++i) {
      states_.push_back(at::zeros({layout_.trainable_numel}, at::kFloat));
    }
    const int64_t quarter = std::max<int64_t>(1, layout_.trainable_numel / 4);
    buckets_.emplace(layout_, std::min<int64_t>(options_.bucket_bytes / 4, quarter));
    make_views();
    for (size_t p = 0; p < setup.model->parameters.size(); ++p) {
      const ParameterDeclaration& d = setup.model->parameters[p];
      initialise(d, setup.seed, 0, d.numel(), master_at(int(p)));
    }
    recast_mirrors();
    missing_users_.resize(layout_.units.size());
  }

  TensorList acquire(int segment, Mode) override {
    TensorList list;
    for (const int p : setup_.model->segments[segment].parameters) list.push_back(views_[p]);
    return list;
  }
  void release(int, Mode) override {}
  TensorList acquire_head() override {
    TensorList list;
    for (const int p : setup_.model->head.parameters) list.push_back(views_[p]);
    return list;
  }
  void hold_all() override {}
  void let_go() override {}

  void begin_step() override {
    touched_.assign(setup_.model->parameters.size(), false);
    for (size_t u = 0; u < layout_.units.size(); ++u) missing_users_[u] = int(layout_.units[u].users.size());
    buckets_->begin();
  }

  void accumulate(int segment, int, bool last, TensorList gradients) override {
    const auto& parameters = setup_.model->segments[segment].parameters;
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (setup_.model->parameters[parameters[i]].trainable) add_gradient(parameters[i], gradients[i]);
    }
    if (last) complete_units_of(segment);
  }

  void finish_gradients() override { buckets_->wait(); }

  GradientFacts gradient_facts() override {
    GradientFacts facts;
    for (const auto& [dtype, buffer] : gradients_.all()) {
      const auto [begin, end] = own_share(buffer.numel());
      const SquareSum sum = sum_of(dtype, begin, end);
      facts.sum_squares += sum.sum_squares;
      facts.non_finite += sum.non_finite;
    }
    if (facts.non_finite > 0) facts.first_non_finite_parameter = first_non_finite();
    return facts;
  }

  void for_each_unit(const std::function<void(UpdateUnit&)>& visit) override {
    for (const FlatUnit& flat : layout_.units) {
      if (!flat.trainable) break;
      UpdateUnit unit;
      unit.name = flat.name;
      unit.numel = flat.numel;
      unit.master = master_.data_ptr<float>() + flat.begin;
      unit.gradient = gradients_.of(flat, 0, flat.numel).const_data_ptr();
      unit.gradient_dtype = flat.dtypes.accumulate;
      for (const at::Tensor& state : states_) unit.state.push_back(state.data_ptr<float>() + flat.begin);
      if (mirror(flat)) unit.mirror = mirrors_[&flat - layout_.units.data()].data_ptr();
      unit.mirror_dtype = flat.dtypes.compute;
      unit.decay = flat.decay;
      for (size_t i = 0; i < flat.parameters.size(); ++i) {
        unit.ranges.push_back({flat.parameters[i], flat.offsets[i], 0, numel_of(flat.parameters[i])});
      }
      visit(unit);
    }
  }

  // Nothing to do: every rank has updated everything, and the optimizer wrote the mirrors.
  void parameters_updated() override {}

  // 64 KiB of the masters: what an attempt can afford, and all of them in the course of a run.
  uint64_t replicated_hash(int64_t attempt) const override {
    constexpr int64_t kStretch = 16384;
    const int64_t stretches = (layout_.numel + kStretch - 1) / kStretch;
    const int64_t begin = attempt % stretches * kStretch, end = std::min(layout_.numel, begin + kStretch);
    const auto* const bytes = reinterpret_cast<const char*>(master_.const_data_ptr<float>() + begin);
    return xxh3_64(std::string_view(bytes, size_t(end - begin) * sizeof(float)));
  }

  bool can_restore() const override { return setup_.keep_stable; }

  void mark_stable() override {
    if (!can_restore()) return;
    stable_.resize(1 + states_.size());
    copy_into(stable_[0], master_);
    for (size_t i = 0; i < states_.size(); ++i) copy_into(stable_[1 + i], states_[i]);
  }

  void restore() override {
    SZ_ASSERT(!stable_.empty());
    master_.copy_(stable_[0]);
    for (size_t i = 0; i < states_.size(); ++i) states_[i].copy_(stable_[1 + i]);
    recast_mirrors();
  }

  void export_pieces(const std::function<void(const ExportPiece&)>& visit) override {
    for (size_t p = 0; p < setup_.model->parameters.size(); ++p) {
      const auto [begin, end] = own_share(numel_of(int(p)));
      if (begin < end) visit_arrays(int(p), begin, end, visit);
    }
  }

  void import_pieces(const std::function<void(const ExportPiece&)>& fill) override {
    for (size_t p = 0; p < setup_.model->parameters.size(); ++p) visit_arrays(int(p), 0, numel_of(int(p)), fill);
    recast_mirrors();
  }

 private:
  int64_t numel_of(int parameter) const { return setup_.model->parameters[parameter].numel(); }
  const FlatUnit& unit_of(int parameter) const { return layout_.units[layout_.places[parameter].unit]; }
  int64_t offset(int parameter) const { return unit_of(parameter).offsets[layout_.places[parameter].slot]; }
  int64_t place(int parameter) const { return unit_of(parameter).begin + offset(parameter); }
  at::Tensor gradient_of(int parameter) const {
    return gradients_.of(unit_of(parameter), offset(parameter), numel_of(parameter));
  }
  std::pair<int64_t, int64_t> own_share(int64_t n) const { return share(n, setup_.comm->rank(), setup_.comm->size()); }
  float* master_at(int parameter) { return master_.data_ptr<float>() + place(parameter); }
  static bool mirror(const FlatUnit& unit) { return unit.dtypes.compute != DType::kF32; }

  // Parameters as the segments see them: views of the masters, or of a unit's mirror in compute dtype.
  void make_views() {
    for (const FlatUnit& unit : layout_.units) {
      mirrors_.push_back(mirror(unit) ? at::zeros({unit.numel}, to_torch(unit.dtypes.compute)) : at::Tensor());
    }
    for (size_t p = 0; p < setup_.model->parameters.size(); ++p) {
      const ParameterDeclaration& d = setup_.model->parameters[p];
      const FlatLayout::Place at = layout_.places[p];
      const FlatUnit& unit = layout_.units[at.unit];
      const at::Tensor base = mirror(unit) ? mirrors_[at.unit] : master_.narrow(0, unit.begin, unit.numel);
      at::Tensor view = base.narrow(0, unit.offsets[at.slot], d.numel()).view(d.shape).detach();
      views_.push_back(view.requires_grad_(unit.trainable));
    }
  }

  void recast_mirrors() {
    for (size_t u = 0; u < layout_.units.size(); ++u) {
      const FlatUnit& unit = layout_.units[u];
      if (mirror(unit)) mirrors_[u].copy_(master_.narrow(0, unit.begin, unit.numel));
    }
  }

  // The first gradient of a step is copied, so that the buffer needs no clearing.
  void add_gradient(int parameter, const at::Tensor& gradient) {
    if (!gradient.defined()) return;
    at::Tensor into = gradient_of(parameter).view(gradient.sizes());
    if (touched_[parameter]) {
      into.add_(gradient);
    } else {
      into.copy_(gradient);
      touched_[parameter] = true;
    }
  }

  void complete_units_of(int segment) {
    for (size_t u = 0; u < layout_.units.size(); ++u) {
      const FlatUnit& unit = layout_.units[u];
      if (!unit.trainable || !std::binary_search(unit.users.begin(), unit.users.end(), segment)) continue;
      if (--missing_users_[u] > 0) continue;
      for (const int p : unit.parameters) {
        if (!touched_[p]) gradient_of(p).zero_();
      }
      buckets_->complete(int(u), gradients_, *setup_.comm);
    }
  }

  // Of elements [begin, end) of the gradients that are summed in dtype.
  SquareSum sum_of(DType dtype, int64_t begin, int64_t end) const {
    return square_sum(gradients_.stretch(dtype, begin, end - begin).const_data_ptr(), dtype, end - begin);
  }

  // The lowest parameter with one in this rank's share.
  int first_non_finite() const {
    for (size_t p = 0; p < layout_.places.size(); ++p) {
      const FlatUnit& unit = unit_of(int(p));
      if (!unit.trainable) continue;
      const auto [begin, end] = own_share(layout_.gradient_numel.at(unit.dtypes.accumulate));
      const int64_t first = unit.gradient_begin + offset(int(p));
      const int64_t low = std::max(begin, first), high = std::min(end, first + numel_of(int(p)));
      if (low < high && sum_of(unit.dtypes.accumulate, low, high).non_finite > 0) return int(p);
    }
    return -1;
  }

  void visit_arrays(int p, int64_t begin, int64_t end, const std::function<void(const ExportPiece&)>& visit) {
    const ParameterDeclaration& d = setup_.model->parameters[p];
    ExportPiece piece{d.name, "master", d.shape, begin, end, master_at(p) + begin};
    visit(piece);
    if (!unit_of(p).trainable) return;
    for (size_t i = 0; i < states_.size(); ++i) {
      piece.state = setup_.optimizer_states[i];
      piece.data = states_[i].data_ptr<float>() + place(p) + begin;
      visit(piece);
    }
  }

  static void copy_into(at::Tensor& to, const at::Tensor& from) {
    if (!to.defined()) to = at::empty(from.sizes(), from.options());
    to.copy_(from);
  }

  ReplicatedOptions options_;
  Setup setup_;
  FlatLayout layout_;
  at::Tensor master_;
  std::vector<at::Tensor> states_, mirrors_, stable_;
  GradientBuffers gradients_;
  TensorList views_;  // by parameter
  std::optional<Buckets> buckets_;  // goes before the gradients that it sends
  std::vector<bool> touched_;       // by parameter: has a gradient in this step
  std::vector<int> missing_users_;  // by unit: segments whose last gradient is still to come
};

}  // namespace

std::unique_ptr<Residency> make_replicated_residency(const ReplicatedOptions& options) {
  return std::make_unique<ReplicatedResidency>(options);
}

}  // namespace sz
