#include "exit_code.h"

namespace sz::launch {

const char* meaning(int code) {
  switch (code) {
    case kDone: return "done";
    case kInternal: return "internal error";
    case kUsage: return "usage or configuration";
    case kPlugin: return "plugin";
    case kData: return "data";
    case kDiverged: return "training diverged";
    case kCorrupt: return "checkpoint or swap file damaged";
    case kPeerLost: return "communication failed or a rank was lost";
    case kExhausted: return "memory or disk exhausted";
    case kInterrupted: return "interrupted";
    case kTerminated: return "asked to stop";
    default: return "not one of szlaunch's exit codes";
  }
}

}  // namespace sz::launch
