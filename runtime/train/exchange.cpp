#include "train/exchange.h"

#include <cmath>
#include <limits>

#include "base/error.h"

namespace sz {
namespace {

// The vector's layout: fixed sums, then the variable parts, then a few slots that each rank fills alone (so that a
// sum hands every rank's value to everybody).
enum Fixed { kSumSquares, kNonFinite, kLowEntries, kLowZeros, kStop, kSave, kEvaluate, kFixed };
enum PerRank { kFirstNonFinite, kSignal, kHashHigh, kHashLow, kPerRank };

struct Layout {
  size_t failures, scalars, samples, ranks, size;
  Layout(const LocalFacts& local, int world)
      : failures(kFixed),
        scalars(failures + local.observer_failed.size()),
        samples(scalars + local.scalars.size()),
        ranks(samples + 3 * local.samples.size()),
        size(ranks + size_t(kPerRank) * size_t(world)) {}
};

std::vector<double> pack(const LocalFacts& local, const Layout& layout, int rank) {
  std::vector<double> v(layout.size, 0.0);
  v[kSumSquares] = local.gradient.sum_squares;
  v[kNonFinite] = double(local.gradient.non_finite);
  v[kLowEntries] = double(local.low_entries);
  v[kLowZeros] = double(local.low_zeros);
  v[kStop] = local.requests.stop;
  v[kSave] = local.requests.save;
  v[kEvaluate] = local.requests.evaluate;
  for (size_t i = 0; i < local.observer_failed.size(); ++i) v[layout.failures + i] = local.observer_failed[i];
  for (size_t i = 0; i < local.scalars.size(); ++i) v[layout.scalars + i] = local.scalars[i];
  for (size_t i = 0; i < local.samples.size(); ++i) {
    v[layout.samples + 3 * i] = local.samples[i].loss;
    v[layout.samples + 3 * i + 1] = local.samples[i].tokens;
    v[layout.samples + 3 * i + 2] = local.samples[i].correct;
  }
  double* const own = &v[layout.ranks + size_t(kPerRank) * size_t(rank)];
  own[kFirstNonFinite] = local.gradient.first_non_finite_parameter + 1;
  own[kSignal] = local.signal;
  own[kHashHigh] = double(local.state_hash >> 32);
  own[kHashLow] = double(local.state_hash & 0xFFFFFFFFu);
  return v;
}

void check_hashes(const double* per_rank, int world) {
  for (int r = 1; r < world; ++r) {
    const double* const own = per_rank + size_t(kPerRank) * size_t(r);
    if (own[kHashHigh] == per_rank[kHashHigh] && own[kHashLow] == per_rank[kHashLow]) continue;
    throw Error(Exit::kComm, "rank " + std::to_string(r) +
                                 " has drifted apart from rank 0: their replicated state (counters, plan, loss scale, "
                                 "last facts) differs; resume from the last checkpoint, and look for a plugin that "
                                 "decides from local state");
  }
}

void read_samples(const double* v, size_t count, StepFacts& facts) {
  double loss = 0, tokens = 0;
  for (size_t i = 0; i < count; ++i) {
    facts.samples.push_back({v[3 * i], v[3 * i + 1], v[3 * i + 2]});
    loss += v[3 * i];
    tokens += v[3 * i + 1];
  }
  facts.tokens = int64_t(tokens);
  facts.loss = tokens > 0 ? loss / tokens : 0.0;
}

void read_ranks(const double* per_rank, int world, StepFacts& facts) {
  for (int r = 0; r < world; ++r) {
    const double* const own = per_rank + size_t(kPerRank) * size_t(r);
    const int first = int(own[kFirstNonFinite]) - 1;
    int& lowest = facts.first_non_finite_parameter;
    if (first >= 0 && (lowest < 0 || first < lowest)) lowest = first;
    if (facts.stop_signal == 0) facts.stop_signal = int(own[kSignal]);
  }
}

}  // namespace

void add_outcomes(const MicroBatch& batch, const float* token_loss, const uint8_t* token_correct,
                  std::vector<SampleOutcome>& samples) {
  for (int64_t r = 0; r < batch.rows; ++r) {
    const int32_t place = batch.plan_index[r];
    if (place < 0) continue;  // the masked row of an empty micro-batch
    SampleOutcome& out = samples[place];
    for (int64_t i = r * batch.cols; i < (r + 1) * batch.cols; ++i) {
      if (batch.mask[i] == 0) continue;
      out.loss += token_loss[i];
      out.tokens += 1;
      out.correct += token_correct[i];
    }
  }
}

GlobalFacts exchange(const LocalFacts& local, const std::vector<std::string>& scalar_names, double scale,
                     Communicator& comm) {
  const Layout layout(local, comm.size());
  std::vector<double> v = pack(local, layout, comm.rank());
  comm.all_reduce(Channel::kScalar, v.data(), v.size(), DType::kF64)->wait();
  check_hashes(&v[layout.ranks], comm.size());
  GlobalFacts global;
  StepFacts& facts = global.facts;
  facts.scale = scale;
  facts.non_finite = int64_t(v[kNonFinite]);
  facts.grad_norm = facts.non_finite > 0 ? std::numeric_limits<double>::quiet_NaN()
                                         : double(float(std::sqrt(v[kSumSquares]) / scale));
  facts.low_entries = int64_t(v[kLowEntries]);
  facts.low_zeros = int64_t(v[kLowZeros]);
  facts.stop_requested = v[kStop] > 0;
  facts.save_requested = v[kSave] > 0;
  facts.evaluate_requested = v[kEvaluate] > 0;
  for (size_t i = 0; i < local.observer_failed.size(); ++i) {
    global.observer_failures.push_back(int(v[layout.failures + i]));
  }
  for (size_t i = 0; i < scalar_names.size(); ++i) facts.scalars[scalar_names[i]] = v[layout.scalars + i];
  read_samples(&v[layout.samples], local.samples.size(), facts);
  read_ranks(&v[layout.ranks], comm.size(), facts);
  return global;
}

}  // namespace sz
