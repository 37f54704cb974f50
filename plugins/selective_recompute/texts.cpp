#include "texts.h"

#include <algorithm>
#include <cstdio>

namespace recompute {
namespace {

std::string number(double value, int digits = 1) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string mib(double bytes) { return number(bytes / (1 << 20), 2) + " MiB"; }

const char* verb_en(Keep keep) {
  switch (keep) {
    case Keep::kAll: return "keeps its activations";
    case Keep::kCostly: return "keeps matrix products and attention, forms norms and activations again";
    case Keep::kInputs: return "keeps its inputs alone and is recomputed in backward";
  }
  return "";
}

const char* verb_zh(Keep keep) {
  switch (keep) {
    case Keep::kAll: return "保留激活值";
    case Keep::kCostly: return "保留矩阵乘积与注意力，归一化与激活函数在反向时重算";
    case Keep::kInputs: return "只保留输入，反向时重新计算";
  }
  return "";
}

}  // namespace

sz::Decision start_decision(const StartFacts& facts) {
  sz::Decision decision;
  decision.what = "activations";
  decision.cause = "policy " + facts.policy;
  decision.to = name_of(facts.keep);
  decision.text_en = facts.segment + " " + verb_en(facts.keep) + " (policy " + facts.policy + "): holds " +
                     mib(facts.held) + " a micro-batch";
  decision.text_zh = facts.segment + " " + verb_zh(facts.keep) + "（策略 " + facts.policy + "）：每个微批占用 " +
                     mib(facts.held);
  if (facts.keep != Keep::kAll) {
    decision.text_en += ", should give back about " + mib(facts.given_back) + " for " + number(facts.cost_percent) +
                        " % of a step's time";
    decision.text_zh += "，预计释放约 " + mib(facts.given_back) + "，耗费一步时间的 " + number(facts.cost_percent) + "%";
  }
  decision.fields = {{"segment", facts.segment},
                     {"held_bytes", int64_t(facts.held)},
                     {"expected_given_back_bytes", int64_t(facts.given_back)},
                     {"expected_cost_percent", facts.cost_percent}};
  return decision;
}

namespace {

// "gives back 13.51 MiB and costs 1.28 ms, 4.49 % of a micro-batch's time, each", with what is not known said so.
std::string measured_en(const MeasuredFacts& facts, double percent) {
  const std::string bytes = facts.given_back >= 0 ? mib(facts.given_back) : "an unknown amount";
  const std::string time = percent >= 0 ? number(facts.microseconds / 1000, 2) + " ms, " + number(percent, 2) +
                                              " % of a micro-batch's time"
                                        : "an unknown time";
  return facts.in_chunks ? " should give back " + bytes + ", by its shapes, and costs about what forward takes, " + time +
                               ", each (in chunks of rows neither shows by itself)"
                         : " gives back " + bytes + " and costs " + time + " each";
}

std::string measured_zh(const MeasuredFacts& facts, double percent) {
  const std::string bytes = facts.given_back >= 0 ? mib(facts.given_back) : "（未测得）";
  const std::string time = percent >= 0 ? number(facts.microseconds / 1000, 2) + " 毫秒，占微批时间的 " +
                                              number(percent, 2) + "%"
                                        : "（未测得）";
  return facts.in_chunks ? "：按形状每段应释放 " + bytes + "，耗时约等于前向 " + time + "（按行分块时两者无法单独测得）"
                         : "实测：每段释放 " + bytes + "，耗时 " + time;
}

}  // namespace

sz::Decision measured_decision(const MeasuredFacts& facts) {
  const double step = std::max(facts.step_microseconds, 1.0);
  const double percent = facts.microseconds >= 0 ? 100 * facts.microseconds / step : -1;
  const std::string count = std::to_string(facts.segments);
  sz::Decision decision;
  decision.what = "activations_measured";
  decision.cause = "the first steps";
  decision.to = name_of(facts.keep);
  decision.text_en = facts.kind + " (" + count + " segments, " + name_of(facts.keep) + ")" + measured_en(facts, percent) +
                     "; " + number(facts.expected_percent) + " % was expected";
  decision.text_zh = facts.kind + "（" + count + " 个段，" + verb_zh(facts.keep) + "）" + measured_zh(facts, percent) +
                     "；预计为 " + number(facts.expected_percent) + "%";
  decision.fields = {{"kind", facts.kind},
                     {"segments", facts.segments},
                     {"given_back_bytes", int64_t(facts.given_back)},
                     {"cost_microseconds", facts.microseconds},
                     {"cost_percent", percent},
                     {"in_chunks", facts.in_chunks},
                     {"expected_cost_percent", facts.expected_percent}};
  return decision;
}

sz::Decision slices_decision(int64_t slices, int64_t rows) {
  const std::string wanted = std::to_string(slices), there = std::to_string(rows);
  sz::Decision decision;
  decision.what = "slices";
  decision.cause = "rows of a micro-batch";
  decision.from = slices;
  decision.to = rows;
  decision.text_en = "segments are recomputed in " + there + " chunks of rows instead of " + wanted +
                     ": a micro-batch has no more rows" +
                     (rows > 1 ? "" : ", so that slices lower no peak") + "; raise train.micro_batch";
  decision.text_zh = "按行分 " + there + " 块重新计算，而不是 " + wanted + " 块：一个微批没有更多的行" +
                     (rows > 1 ? "" : "，slices 不会降低峰值") + "；请增大 train.micro_batch";
  return decision;
}

sz::Decision budget_decision(const BudgetChoice& choice, double budget_bytes) {
  int64_t count[3] = {};
  for (const Keep keep : choice.keep) ++count[int(keep)];
  const std::string counts_en = std::to_string(count[0]) + " segments kept, " + std::to_string(count[1]) +
                                " cheap, " + std::to_string(count[2]) + " recomputed";
  const std::string counts_zh = "保留 " + std::to_string(count[0]) + " 段，轻量重算 " + std::to_string(count[1]) +
                                " 段，完全重算 " + std::to_string(count[2]) + " 段";
  sz::Decision decision;
  decision.what = "budget";
  decision.cause = choice.fits ? "bytes and times measured in the first steps"
                               : "even with all segments recomputed the activations don't fit";
  decision.to = counts_en;
  decision.text_en = "budget of " + mib(budget_bytes) + ": " + counts_en + "; " + mib(choice.bytes) + " held for " +
                     number(choice.microseconds / 1000) + " ms a micro-batch" +
                     (choice.fits ? "" : "; it can't be met: raise memory_mb or lower train.micro_batch");
  decision.text_zh = "预算 " + mib(budget_bytes) + "：" + counts_zh + "；占用 " + mib(choice.bytes) + "，每个微批多用 " +
                     number(choice.microseconds / 1000) + " 毫秒" +
                     (choice.fits ? "" : "；无法满足：请增大 memory_mb 或减小 train.micro_batch");
  decision.fields = {{"budget_bytes", int64_t(budget_bytes)},
                     {"held_bytes", int64_t(choice.bytes)},
                     {"cost_microseconds", choice.microseconds},
                     {"kept", count[0]},
                     {"cheap", count[1]},
                     {"recomputed", count[2]},
                     {"fits", choice.fits}};
  return decision;
}

sz::Decision changed_decision(const std::string& segment, Keep from, Keep to, const SegmentCost& cost) {
  const double held = cost.bytes[int(to)], time = cost.microseconds[int(to)];
  sz::Decision decision;
  decision.what = "activations";
  decision.cause = "budget";
  decision.from = name_of(from);
  decision.to = name_of(to);
  decision.text_en = segment + " " + verb_en(to) + " (budget): holds " + mib(held) + " and costs " +
                     number(time / 1000, 2) + " ms a micro-batch";
  decision.text_zh = segment + " " + verb_zh(to) + "（预算）：占用 " + mib(held) + "，每个微批耗时 " +
                     number(time / 1000, 2) + " 毫秒";
  decision.fields = {{"segment", segment}, {"held_bytes", int64_t(held)}, {"cost_microseconds", time}};
  return decision;
}

}  // namespace recompute
