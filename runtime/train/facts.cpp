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

const char* chinese_name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kApply: return "采用";
    case Verdict::kSkip: return "跳过";
    case Verdict::kRollBack: return "回滚";
    case Verdict::kAbort: return "终止";
  }
  return "?";
}

}  // namespace sz
