// Observers that failed on some rank: switched off on all, and told of alike by all.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/journal.h"
#include "comm/communicator.h"
#include "train/hooks.h"

namespace sz {

// Where an observer failed: on the lowest rank that it failed on, with what it said there.
struct ObserverFailure {
  int rank = -1;
  std::string hook;   // "SEGMENT_FORWARD"; "event NAME" for a listener
  std::string error;  // its first 400 bytes
};

// Collective on Channel::kScalar, for an entry that has failed on one rank at least; the same on every rank.
ObserverFailure first_failure(const HookTable::Entry& entry, Communicator& comm);

struct FailurePlace {
  int64_t step = 0, attempt = 0;
};

// After VERDICT's exchange: switches off those entries that `failures`, the number of ranks by entry, says have failed.
// Collective where there is one, else no communication.
void disable_failed(HookTable& hooks, const std::vector<int>& failures, const FailurePlace& at, Communicator& comm,
                    DecisionLog& decisions);

// At the run's end: those that failed after the last VERDICT, of which nobody else would tell. Collective.
void report_late_failures(HookTable& hooks, const FailurePlace& at, Communicator& comm, DecisionLog& decisions);

}  // namespace sz
