#include "plugin_host/hook_info.h"

#include "plugin_host/handles.h"

namespace sz {

static_assert(sizeof(PlanItem) == sizeof(sz_plan_item) &&
              offsetof(PlanItem, position) == offsetof(sz_plan_item, position) &&
              offsetof(PlanItem, transform) == offsetof(sz_plan_item, transform) &&
              offsetof(PlanItem, flags) == offsetof(sz_plan_item, flags) &&
              offsetof(PlanItem, seed) == offsetof(sz_plan_item, seed));

HookInfoView::HookInfoView(const HookInfo& info)
    : view_{sizeof(sz_hook_info),
            sz_hook(info.hook),
            info.step,
            info.attempt,
            info.epoch,
            info.micro_batch,
            info.micro_batches,
            info.segment,
            sz_mode(info.mode),
            info.segment_name,
            info.global_tokens,
            info.lr,
            info.plan ? info.plan->size() : 0,
            info.plan ? reinterpret_cast<const sz_plan_item*>(info.plan->data()) : nullptr,
            info.batch ? &batch_ : nullptr,
            info.token_loss,
            info.token_correct,
            nullptr,
            to_handle(info.model),
            nullptr,
            info.path,
            info.reason,
            info.signal,
            0} {
  if (info.batch) batch_ = to_micro_batch(*info.batch);
  if (info.facts || info.eval) add_results(info);
}

void HookInfoView::add_results(const HookInfo& info) {
  results_ = std::make_unique<Results>();
  if (info.facts) view_.facts = results_->facts.emplace(*info.facts).lend();
  if (info.eval) view_.eval = results_->eval.emplace(*info.eval).lend();
}

}  // namespace sz
