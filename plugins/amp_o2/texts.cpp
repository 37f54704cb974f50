#include "texts.h"

#include <cmath>
#include <cstdio>

namespace amp_o2 {

using namespace sz::amp;

namespace {

std::string whole(int64_t value) { return std::to_string(value); }
std::string whole(double value) = delete;

std::string format(const char* pattern, double value) {
  char text[40];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

Text fault_text(const Ruling& ruling, const ScaleFacts& facts, const ScaleOptions& options, const Place& place) {
  if (ruling.fault == Fault::kExplosion) {
    const std::string norm = number(facts.grad_norm), median = number(ruling.median);
    const std::string factor = number(options.explosion_factor);
    return {"gradient norm " + norm + " is above " + factor + " times its median " + median,
            "梯度范数 " + norm + " 超过其中位数 " + median + " 的 " + factor + " 倍"};
  }
  if (facts.non_finite == 0) return {"the loss or the gradient norm is not finite", "损失或梯度范数不是有限值"};
  const std::string count = whole(facts.non_finite);
  Text text = {count + " non-finite gradient elements", "梯度中有 " + count + " 个非有限值"};
  if (!place.parameter.empty()) {
    text.en += ", first in " + place.parameter + " of segment " + place.segment;
    text.zh += "，最先出现在分段 " + place.segment + " 的 " + place.parameter;
  }
  return text;
}

Text end_text(const Ruling& ruling, const ScaleOptions& options) {
  if (ruling.end == End::kMinScale) {
    const std::string least = number(options.min_scale);
    return {"; the loss scale is at its minimum of " + least +
                ": lower optimizer.lr, set train.grad_clip, or look at the data",
            "；损失缩放已降到下限 " + least + "：请降低 optimizer.lr、设置 train.grad_clip，或检查数据"};
  }
  const std::string times = whole(ruling.rollbacks);
  return {"; " + times + " roll backs did not get the run any further: lower optimizer.lr, set train.grad_clip, or "
              "look at the data",
          "；连续 " + times + " 次回滚仍未取得进展：请降低 optimizer.lr、设置 train.grad_clip，或检查数据"};
}

sz::Decision scale_decision(const Ruling& ruling, const Text& cause) {
  const std::string change = number(ruling.scale_from) + " -> " + number(ruling.scale_to);
  return {.what = "loss_scale", .cause = cause.en, .from = ruling.scale_from, .to = ruling.scale_to,
          .text_en = cause.en + ", scale " + change, .text_zh = cause.zh + "，损失缩放 " + change};
}

Text change_cause(const Ruling& ruling, const ScaleOptions& options, const Text& reason) {
  switch (ruling.change) {
    case Change::kGrowth: {
      const std::string steps = whole(options.growth_interval);
      return {steps + " good steps in a row", "连续 " + steps + " 步正常"};
    }
    case Change::kBackoff: {
      const std::string row = whole(ruling.bad_in_a_row);
      return {row + " bad attempts in a row (" + reason.en + ")", "连续 " + row + " 次异常（" + reason.zh + "）"};
    }
    default: {
      const std::string sigma = format("%.2f", ruling.sigma.value_or(0));
      return {"gradient variance jumped (sigma " + sigma + ")", "梯度方差突增（sigma " + sigma + "）"};
    }
  }
}

sz::Decision variance_report(const Ruling& ruling, const Text& cause) {
  const std::string scale = number(ruling.scale_to);
  return {.what = "gradient_instability", .cause = cause.en, .to = ruling.scale_to,
          .text_en = cause.en + ", scale stays " + scale, .text_zh = cause.zh + "，损失缩放保持 " + scale};
}

sz::Decision clip_decision(const Ruling& ruling, const ScaleOptions& options, const Text& reason) {
  const std::string limit = number(options.max_grad_norm);
  const bool rolled = ruling.action == Action::kRollBack;
  const Text cause = rolled ? reason : Text{"the third gradient explosion", "第三次梯度爆炸"};
  return {.what = "clip", .cause = cause.en, .to = options.max_grad_norm,
          .text_en = "gradient clipping at norm " + limit + " goes on: " + cause.en,
          .text_zh = "启用梯度裁剪，范数上限 " + limit + "：" + cause.zh};
}

sz::Decision pass_over_decision(const Text& reason) {
  return {.what = "pass_over", .cause = reason.en,
          .text_en = "the samples since the stable state are passed over, not repeated: neither scale nor clipping "
                     "changed, so they would fail alike",
          .text_zh = "跳过稳定状态之后的样本而不重复：缩放与裁剪均未改变，重复只会同样失败"};
}

sz::Decision vanishing_decision(const Ruling& ruling, const ScaleFacts& facts) {
  const std::string scale = number(ruling.scale_from);
  Text cause = {"the loss is exactly 0", "损失恰好为 0"};
  if (ruling.vanishing == Vanishing::kFlushed) {
    const std::string share = format("%.0f", 100.0 * double(facts.low_zeros) / double(facts.low_entries));
    cause = {share + "% of the 16-bit gradient entries are zero", "16 位梯度中 " + share + "% 的元素为零"};
  }
  return {.what = "vanishing", .cause = cause.en, .to = ruling.scale_from,
          .text_en = "gradients vanish at scale " + scale + ": " + cause.en,
          .text_zh = "损失缩放为 " + scale + " 时梯度消失：" + cause.zh};
}

}  // namespace

std::string number(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return whole(int64_t(value));
  return format("%.4g", value);
}

Text reason(const Ruling& ruling, const ScaleFacts& facts, const ScaleOptions& options, const Place& place) {
  if (ruling.action == Action::kApply) return {};
  Text text = fault_text(ruling, facts, options, place);
  if (ruling.action == Action::kAbort) {
    const Text end = end_text(ruling, options);
    text = {text.en + end.en, text.zh + end.zh};
  }
  return text;
}

std::vector<sz::Decision> decisions(const Ruling& ruling, const ScaleFacts& facts, const ScaleOptions& options,
                                    const Text& reason) {
  std::vector<sz::Decision> made;
  if (ruling.vanishing != Vanishing::kNone) made.push_back(vanishing_decision(ruling, facts));
  const Text cause = change_cause(ruling, options, reason);
  if (ruling.change != Change::kNone) {
    made.push_back(scale_decision(ruling, cause));
  } else if (ruling.sigma) {
    made.push_back(variance_report(ruling, cause));
  }
  if (ruling.clip_switched_on) made.push_back(clip_decision(ruling, options, reason));
  if (ruling.keep_data_position) made.push_back(pass_over_decision(reason));
  return made;
}

}  // namespace amp_o2
