#include "train/observer_failures.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/log.h"

namespace sz {
namespace {

// What each rank tells the others of its failure: of one size, so that one gather does.
struct Report {
  uint32_t failed = 0;
  char hook[76] = {}, error[404] = {};
};

// As much as fits, never half a character.
template <size_t kSize>
void put(char (&to)[kSize], const std::string& text) {
  size_t size = std::min(text.size(), kSize - 4);
  while (size > 0 && size < text.size() && (text[size] & 0xC0) == 0x80) --size;
  std::memcpy(to, text.data(), size);
}

void write_decision(const std::string& plugin, const ObserverFailure& failure, const FailurePlace& at, bool late,
                    DecisionLog& decisions) {
  Decision decision;
  decision.step = at.step;
  decision.attempt = at.attempt;
  decision.plugin = plugin;
  decision.what = "observer_disabled";
  const std::string rank = std::to_string(failure.rank);
  decision.cause = "rank " + rank + ", " + failure.hook + ": " + failure.error;
  const char* const what = late ? " failed after the last step: " : " is switched off on all ranks: ";
  decision.text_en = "observer " + plugin + what + decision.cause;
  decision.text_zh = "观察者 " + plugin + (late ? " 在最后一步之后出错：" : " 已在所有进程上停用：") + "进程 " + rank +
                     "，" + failure.hook + "：" + failure.error;
  decision.details["rank"] = int64_t(failure.rank);
  decision.details["hook"] = failure.hook;
  decisions.write(decision);
}

}  // namespace

ObserverFailure first_failure(const HookTable::Entry& entry, Communicator& comm) {
  Report own;
  own.failed = entry.failed;
  put(own.hook, entry.failed_in);
  put(own.error, entry.error);
  std::vector<Report> all(size_t(comm.size()));
  comm.all_gather(Channel::kScalar, &own, all.data(), sizeof own)->wait();
  const auto first = std::find_if(all.begin(), all.end(), [](const Report& report) { return report.failed != 0; });
  SZ_ASSERT(first != all.end());
  return {int(first - all.begin()), first->hook, first->error};
}

void disable_failed(HookTable& hooks, const std::vector<int>& failures, const FailurePlace& at, Communicator& comm,
                    DecisionLog& decisions) {
  for (size_t i = 0; i < failures.size(); ++i) {
    const HookTable::Entry& entry = hooks.entries()[i];
    if (failures[i] == 0 || entry.disabled) continue;
    hooks.disable(i);
    write_decision(entry.observer->name(), first_failure(entry, comm), at, false, decisions);
  }
}

void report_late_failures(HookTable& hooks, const FailurePlace& at, Communicator& comm, DecisionLog& decisions) {
  std::vector<int64_t> failures;
  for (const HookTable::Entry& entry : hooks.entries()) failures.push_back(entry.failed && !entry.disabled);
  if (failures.empty()) return;
  comm.all_reduce(Channel::kScalar, failures.data(), failures.size(), DType::kI64)->wait();
  for (size_t i = 0; i < failures.size(); ++i) {
    const HookTable::Entry& entry = hooks.entries()[i];
    if (failures[i] > 0) write_decision(entry.observer->name(), first_failure(entry, comm), at, true, decisions);
  }
}

}  // namespace sz
