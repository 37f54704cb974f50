// How much of a control group's memory a rank's tensors may take, so that a run that needs more ends with a message
// instead of being killed by the kernel.
#pragma once
#include <cstdint>
#include <string>

#include "base/cgroup.h"
#include "base/journal.h"
#include "comm/communicator.h"

namespace sz {

struct MemoryShare {
  int64_t bytes = 0;    // this rank's tensors, taken from the system; 0: no control group limits it
  CgroupMemory group;   // the tightest
  int ranks = 1;        // that live in that group

  std::string text() const;  // "this rank's share of the control group's limit of 512 MiB for 2 ranks (FILE)"
  Decision decision() const;
};

// The group's limit, less what it cannot give back now and a reserve for what is no tensor, in equal parts for the
// ranks that live in it. Collective on Channel::kData.
// Errors: Error(kExhausted) where nothing would be left.
MemoryShare share_memory(Communicator& comm, const CgroupPlaces& places = {});

}  // namespace sz
