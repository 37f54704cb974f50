#include "report.h"

#include <cstdio>

namespace zero3 {
namespace {

std::string mib(int64_t bytes) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f MiB", double(bytes) / (1 << 20));
  return text;
}

const char* name_of(sz_mode mode) {
  switch (mode) {
    case SZ_MODE_EVALUATE: return "evaluate";
    case SZ_MODE_GENERATE: return "generate";
    default: return "train";
  }
}

const char* chinese_of(sz_mode mode) {
  switch (mode) {
    case SZ_MODE_EVALUATE: return "评估";
    case SZ_MODE_GENERATE: return "生成";
    default: return "训练";
  }
}

}  // namespace

Options Options::read(sz::Host host) {
  const sz::Config config(host);
  Options options;
  options.stage = int(config.get_int("stage"));
  options.prefetch_segments = config.get_int("prefetch_segments");
  options.persist_threshold = config.get_int("persist_threshold");
  options.overlap = config.get_bool("overlap");
  options.verify = config.get_bool("verify");
  return options;
}

void Report::sharding(const Options& options, int ranks, const ModelSpec& model, const Layout& layout,
                      const KeptBytes& bytes) {
  int64_t elements = 0, persistent = 0;
  for (const ParameterSpec& spec : model.parameters) elements += spec.numel;
  for (const UnitPlan& unit : layout.units) persistent += unit.persistent ? 1 : 0;
  const std::string stage = std::to_string(options.stage), n = std::to_string(ranks);
  const std::string kept_en = mib(bytes.parameters) + " of parameters, " + mib(bytes.gradients) + " of gradients, " +
                              mib(bytes.optimizer) + " of optimizer state";
  const std::string kept_zh = "参数 " + mib(bytes.parameters) + "，梯度 " + mib(bytes.gradients) + "，优化器状态 " +
                              mib(bytes.optimizer);
  decisions_.record({.what = "sharding", .cause = "stage " + stage + " over " + n + " ranks", .to = bytes.total(),
                     .text_en = "stage " + stage + " over " + n + " ranks: each keeps " + kept_en,
                     .text_zh = "第 " + stage + " 阶段，" + n + " 个进程：每个进程保存" + kept_zh,
                     .fields = {{"stage", int64_t(options.stage)},
                                {"ranks", int64_t(ranks)},
                                {"elements", elements},
                                {"units", int64_t(layout.units.size())},
                                {"small_units", persistent},
                                {"parameter_bytes", bytes.parameters},
                                {"gradient_bytes", bytes.gradients},
                                {"optimizer_bytes", bytes.optimizer},
                                {"snapshot_bytes", bytes.snapshot}}});
}

void Report::order(Order::Event event, sz_mode mode, const Order& order, const ModelSpec& model) {
  if (event == Order::Event::kNone) return;
  const std::string en = name_of(mode), zh = chinese_of(mode);
  if (event == Order::Event::kRecorded) {
    decisions_.record({.what = "order_recorded", .cause = "first pass of mode " + en + " in this order",
                       .text_en = "the order of segments in mode " + en + " is recorded; the next passes prefetch by it",
                       .text_zh = "已记录" + zh + "模式下各段的顺序，之后按此顺序预取"});
    return;
  }
  const auto name = [&](int segment) {
    return segment < 0 ? std::string("the end") : model.segment_names[size_t(segment)];
  };
  const std::string place = std::to_string(order.pass().empty() ? 0 : order.pass().size() - 1);
  const std::string expected = name(order.expected());
  const std::string found = order.pass().empty() ? "the end" : name(order.pass().back());
  decisions_.record({.what = "order_changed", .cause = "number " + place + " of the pass was recorded as " + expected,
                     .from = expected, .to = found,
                     .text_en = "the order of segments in mode " + en + " has changed: " + found + " came where " +
                                expected + " was recorded; gathering on demand and recording anew",
                     .text_zh = zh + "模式下各段的顺序已改变：记录为 " + expected + " 处出现 " + found +
                                "；改为按需收集并重新记录"});
}

void Report::holding(bool fits, int64_t bytes) {
  decisions_.record({.what = "generation", .cause = mib(bytes) + (fits ? " fit" : " do not fit on every rank"),
                     .to = std::string(fits ? "hold_all" : "unit_by_unit"),
                     .text_en = fits ? "generation holds all parameters: " + mib(bytes) + " more fit on every rank"
                                     : "generation gathers unit by unit: " + mib(bytes) + " more do not fit on every rank",
                     .text_zh = fits ? "生成时保留全部参数：每个进程还能容纳 " + mib(bytes)
                                     : "生成时逐单元收集参数：并非每个进程都能再容纳 " + mib(bytes)});
}

void Report::waits(const Waits& gather, const Waits& reduce) {
  metrics_.publish("gather_wait_s", gather.waited);
  metrics_.publish("gather_hidden_s", gather.hidden);
  metrics_.publish("reduce_wait_s", reduce.waited);
  metrics_.publish("reduce_hidden_s", reduce.hidden);
}

}  // namespace zero3
