#include "plugin_host/hook_info.h"

#include "plugin_host/handles.h"

namespace sz {

static_assert(sizeof(PlanItem) == sizeof(sz_plan_item) && offsetof(PlanItem, position) == offsetof(sz_plan_item, position) &&
              offsetof(PlanItem, transform) == offsetof(sz_plan_item, transform) &&
              offsetof(PlanItem, flags) == offsetof(sz_plan_item, flags) &&
              offsetof(PlanItem, seed) == offsetof(sz_plan_item, seed));

HookInfoView::HookInfoView(const HookInfo& info) {
  if (info.facts) facts_.emplace(*info.facts);
  if (info.eval) eval_.emplace(*info.eval);
  if (info.batch) batch_ = to_micro_batch(*info.batch);
  view_.struct_size = sizeof(sz_hook_info);
  view_.hook = sz_hook(info.hook);
  view_.step = info.step;
  view_.attempt = info.attempt;
  view_.epoch = info.epoch;
  view_.micro_batch = info.micro_batch;
  view_.micro_batches = info.micro_batches;
  view_.segment = info.segment;
  view_.mode = sz_mode(info.mode);
  view_.segment_name = info.segment_name;
  view_.global_tokens = info.global_tokens;
  view_.lr = info.lr;
  view_.plan_count = info.plan ? info.plan->size() : 0;
  view_.plan = info.plan ? reinterpret_cast<const sz_plan_item*>(info.plan->data()) : nullptr;
  view_.batch = info.batch ? &batch_ : nullptr;
  view_.token_loss = info.token_loss;
  view_.token_correct = info.token_correct;
  view_.facts = facts_ ? facts_->lend() : nullptr;
  view_.model = to_handle(info.model);
  view_.eval = eval_ ? eval_->lend() : nullptr;
  view_.path = info.path;
  view_.reason = info.reason;
  view_.signal = info.signal;
}

}  // namespace sz
