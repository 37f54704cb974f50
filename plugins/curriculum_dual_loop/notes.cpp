#include "notes.h"

#include "number_text.h"

namespace curriculum {
namespace {

using std::to_string;

bool begins(const std::string& text, const std::string& with) { return text.compare(0, with.size(), with) == 0; }

void replace(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

std::string in_chinese(const std::string& cause) {
  std::string text = cause;
  if (begins(cause, "inner loop")) {
    replace(text, "inner loop: standard deviation of the losses is ", "内环：各样本损失的标准差为 ");
    replace(text, ", below ", "，低于 ");
    replace(text, ", above ", "，高于 ");
  } else if (begins(cause, "outer loop")) {
    replace(text, "outer loop: validation accuracy changes by ", "外环：验证准确率平均每轮变化 ");
    replace(text, " an epoch, mean over ", "，统计难度档数 ");
    replace(text, " buckets", "");
  } else if (begins(cause, "schedule ")) {
    replace(text, "schedule ", "按固定进度 ");
    replace(text, " after ", "，训练已完成 ");
    replace(text, " of the run", "");
  }
  return text;
}

Note threshold_note(double from, double to, const std::string& cause, const std::string& cause_zh) {
  Note note{"difficulty_threshold", cause, from, to, "", ""};
  const char* const verb = to > from ? "rises" : "falls";
  const char* const verb_zh = to > from ? "提高到 " : "降低到 ";
  note.en =
      "the difficulty threshold " + std::string(verb) + " from " + number(from) + " to " + number(to) + ": " + cause;
  note.zh = "难度阈值从 " + number(from) + " " + verb_zh + number(to) + "：" + cause_zh;
  return note;
}

Note hidden_note(double max, int64_t hidden, int64_t samples, double final_release) {
  Note note{"data_hidden", "max_complexity caps the threshold", std::nullopt, max, "", ""};
  const std::string counts = to_string(hidden) + " / " + to_string(samples);
  note.en = "max_complexity " + number(max) + " hides " + counts + " training samples, the hardest, " +
            (final_release > 0 ? "until the last " + percent(final_release) + " of the run" : "for the whole run");
  note.zh = "max_complexity " + number(max) + " 使最难的 " + counts + " 个训练样本" +
            (final_release > 0 ? "直到训练最后 " + percent(final_release) + " 才参与训练" : "始终不参与训练");
  note.fields = {{"hidden", double(hidden)}, {"samples", double(samples)}};
  return note;
}

Note floor_note(double floor, double wish, const std::string& cause, const std::string& cause_zh) {
  Note note{"threshold_floor", cause, std::nullopt, floor, "", ""};
  note.en = "the difficulty threshold goes no lower than " + number(floor) + ", where " + number(wish) +
            " was wanted: " + cause +
            "; if this lasts, compare the metric loss_std with inner_low and inner_high: the limits don't fit these data";
  note.zh = "难度阈值不低于 " + number(floor) + "（本应降到 " + number(wish) + "）：" + cause_zh +
            "；若持续如此，请将指标 loss_std 与 inner_low、inner_high 对照：界限可能不适合这些数据";
  note.fields = {{"wanted", wish}};
  return note;
}

Note warmup_over_note(double threshold) {
  Note note{"warmup", "warmup_epochs are over", std::nullopt, threshold, "", ""};
  note.en = "the warm-up is over at threshold " + number(threshold) + "; the loops act from now on";
  note.zh = "热身阶段结束，难度阈值为 " + number(threshold) + "；双环控制从现在起生效";
  return note;
}

Note review_note(double from, double share, int64_t samples, double spread, double high) {
  Note note{"review", "", from, share, "", ""};
  if (share > 0) {
    note.cause = "standard deviation of the losses is " + number(spread) + ", above " + number(high);
    note.en = percent(share) + " of each batch are review samples from now on, out of " + to_string(samples) +
              " mastered ones: " + note.cause;
    note.zh = "从现在起每批 " + percent(share) + " 为复习样本，取自 " + to_string(samples) + " 个已掌握的样本：各样本损失的标准差为 " +
              number(spread) + "，高于 " + number(high);
  } else {
    note.cause = "standard deviation of the losses is " + number(spread) + ", no longer above " + number(high);
    note.en = "no more review samples: " + note.cause;
    note.zh = "停止加入复习样本：各样本损失的标准差为 " + number(spread) + "，不再高于 " + number(high);
  }
  note.fields = {{"samples", double(samples)}, {"spread", spread}};
  return note;
}

Note adversarial_note(const std::vector<int>& buckets, double share, int64_t samples) {
  Note note{"adversarial", "", buckets.empty() ? share : 0.0, buckets.empty() ? 0.0 : share, "", ""};
  if (buckets.empty()) {
    note.cause = "no bucket stalls any more";
    note.en = "no more adversarial samples: " + note.cause;
    note.zh = "停止加入对抗样本：不再有停滞的难度档";
    return note;
  }
  std::string list;
  for (const int bucket : buckets) list += (list.empty() ? "" : ", ") + to_string(bucket);
  note.cause = "validation accuracy stalls in buckets " + list;
  note.en = percent(share) + " of each batch are adversarial from now on, half of them perturbed copies, out of the " +
            to_string(samples) + " hardest samples of the buckets that stall: " + list;
  note.zh = "从现在起每批 " + percent(share) + " 为对抗样本（一半为扰动副本），取自停滞难度档 " + list + " 中最难的 " +
            to_string(samples) + " 个样本";
  note.fields = {{"samples", double(samples)}, {"stalled_buckets", double(buckets.size())}};
  return note;
}

Note oscillation_note(double swing, double factor_from, double factor_to, int64_t window_from, int64_t window_to) {
  Note note{"outer_factor", "validation accuracy swings by " + percent(swing) + " of its mean", factor_from, factor_to,
            "", ""};
  note.en = "oscillation guard: " + note.cause + " over " + to_string(window_from) + " epochs; outer_factor from " +
            number(factor_from) + " to " + number(factor_to) + ", window from " + to_string(window_from) + " to " +
            to_string(window_to) + " epochs";
  note.zh = "振荡保护：验证准确率在 " + to_string(window_from) + " 轮内波动达到均值的 " + percent(swing) + "；outer_factor 从 " +
            number(factor_from) + " 降到 " + number(factor_to) + "，窗口从 " + to_string(window_from) + " 轮扩大到 " +
            to_string(window_to) + " 轮";
  note.fields = {{"swing", swing}, {"window_from", double(window_from)}, {"window_to", double(window_to)}};
  return note;
}

Note short_run_note(const std::string& en, const std::string& zh) {
  return Note{"loops_cannot_act", en, std::nullopt, std::nullopt, en, zh};
}

}  // namespace curriculum
