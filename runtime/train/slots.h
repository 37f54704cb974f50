// Slots: decisions with exactly one owner, and the interfaces their owners implement.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "comm/communicator.h"
#include "data/batches.h"
#include "data/plan.h"
#include "model/declaration.h"
#include "optim/update_unit.h"
#include "train/facts.h"

namespace sz {

// State that outlives a process: versioned bytes under an id. Scope says whether a rollback restores it.
class Stateful {
 public:
  enum class Scope : uint8_t { kCheckpoint = 0, kCheckpointAndRollback = 1 };
  virtual ~Stateful() = default;
  virtual std::string state_id() const = 0;
  virtual uint32_t state_version() const { return 1; }
  virtual Scope scope() const = 0;
  virtual std::string save_state() const = 0;
  virtual void load_state(const std::string& bytes, uint32_t version) = 0;
};

// --- precision ---------------------------------------------------------------------------------------------------

struct ParameterDtypes {
  DType master = DType::kF32, compute = DType::kF32, accumulate = DType::kF32, wire = DType::kF32;
};
struct SegmentDtypes {
  DType activation = DType::kF32;  // dtype of the boundary tensor handed in
  bool autocast = false;           // run under autocast, products in autocast_dtype
  DType autocast_dtype = DType::kBF16;  // or kF16
};
struct DtypePlan {
  std::vector<ParameterDtypes> parameters;
  std::vector<SegmentDtypes> segments;
};

class Precision {
 public:
  virtual ~Precision() = default;
  virtual std::string name() const = 0;
  virtual DtypePlan plan(const ModelDeclaration& model) = 0;  // once, at MODEL_DECLARED
  virtual double scale() const = 0;                           // multiplies the next attempt's loss
  virtual Vote judge(const StepFacts& facts) = 0;             // on every rank, from the same facts
  virtual Stateful* stateful() { return nullptr; }
};

// --- votes -------------------------------------------------------------------------------------------------------

// Whoever declared that it votes: called on every rank with the same facts, in load-plan order; must decide from them
// and from replicated state alone.
class Voter {
 public:
  virtual ~Voter() = default;
  virtual std::string name() const = 0;
  virtual Vote vote(const StepFacts& facts) = 0;
};

// --- residency ---------------------------------------------------------------------------------------------------

// One stretch of one named array of one parameter, for export and import.
struct ExportPiece {
  std::string parameter, state;  // state: "master" or an optimizer state's name
  std::vector<int64_t> shape;    // of the whole parameter
  int64_t begin = 0, end = 0;    // flat elements held by this rank
  float* data = nullptr;         // fp32, borrowed for the call
};

struct GradientFacts {
  double sum_squares = 0;  // this rank's share: over all ranks each element counts once
  int64_t non_finite = 0;
  int first_non_finite_parameter = -1;
};

// Where bytes live. All calls on the main thread, in the same order on all ranks.
class Residency {
 public:
  struct Setup {
    const ModelDeclaration* model = nullptr;
    DtypePlan dtypes;
    Communicator* comm = nullptr;
    uint64_t seed = 0;
    std::vector<std::string> optimizer_states;
    bool optimizer_element_wise = true;
    bool keep_stable = true;  // false (train.snapshot = "none"): mark_stable() does nothing, can_restore() is false
  };
  virtual ~Residency() = default;
  virtual std::string name() const = 0;
  virtual void build(const Setup& setup) = 0;  // materialises parameters from (seed, name), segment by segment

  // The segment's parameters in compute dtype, there until release(). In training mode they require gradients
  // where trainable.
  virtual TensorList acquire(int segment, Mode mode) = 0;
  virtual void release(int segment, Mode mode) = 0;
  virtual TensorList acquire_head() = 0;  // for generation
  virtual void hold_all() = 0;            // keep everything there (generation), until let_go()
  virtual void let_go() = 0;

  virtual void begin_step() = 0;          // gradients count from zero
  // Takes a segment's parameter gradients (undefined: zero) of one micro-batch and owns them from then on.
  virtual void accumulate(int segment, int micro_batch, bool last, TensorList gradients) = 0;
  virtual void finish_gradients() = 0;    // after it, gradients are reduced: GRADIENTS_REDUCED
  virtual GradientFacts gradient_facts() = 0;

  virtual void for_each_unit(const std::function<void(UpdateUnit&)>& visit) = 0;
  virtual void parameters_updated() = 0;  // after the last unit of an applied step

  // Hash of a stretch of what must be the same on all ranks, another one each attempt; 0 where nothing is.
  virtual uint64_t replicated_hash(int64_t attempt) const { return 0; }

  virtual bool can_restore() const = 0;   // false: train.snapshot = "none"
  virtual void mark_stable() = 0;
  virtual void restore() = 0;

  // Visits this rank's stretches; over all ranks each element exactly once. Import writes through piece.data.
  virtual void export_pieces(const std::function<void(const ExportPiece&)>& visit) = 0;
  virtual void import_pieces(const std::function<void(const ExportPiece&)>& fill) = 0;
};

// --- sampler -----------------------------------------------------------------------------------------------------

// What a sampler may know of the data and the run's shape.
struct SamplerSetup {
  int64_t samples = 0;       // of the training split
  int64_t global_batch = 0;  // samples a plan
  uint64_t seed = 0;
};

class Sampler {
 public:
  virtual ~Sampler() = default;
  virtual std::string name() const = 0;
  virtual void setup(const SamplerSetup& setup) = 0;
  virtual std::string initial_state() const = 0;
  // The plan that follows `state`, and the state after it. Pure, the same on all ranks.
  virtual std::pair<Plan, std::string> plan(const std::string& state) const = 0;
  // Moves when plans made from the same state would differ: plans not yet started are dropped and made anew.
  virtual uint64_t revision() const { return 0; }
  // Changes samples of items whose transform isn't 0; called on the I/O thread while the run goes on. Empty: none.
  virtual Transform transform() { return {}; }
};

}  // namespace sz
