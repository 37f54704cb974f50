#include "train/facts.h"

namespace sz {

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kApply: return "apply";
    case Verdict::kSkip: return "skip";
    case Verdict::kRollBack: return "roll back";
    case Verdict::kAbort: return "abort";
  }
  return "?";
}

}  // namespace sz
