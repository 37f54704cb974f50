// Numbers and closed structs that stand both in the SDK and in the runtime are the same.
#include <gtest/gtest.h>

#include <cstddef>

#include "base/dtype.h"
#include "base/error.h"
#include "comm/communicator.h"
#include "data/plan.h"
#include "model/declaration.h"
#include "model/segment.h"
#include "optim/update_unit.h"
#include "sz/host/comm.h"
#include "sz/host/model.h"
#include "sz/hooks.h"
#include "sz/plugin.h"
#include "sz/unit.h"
#include "train/facts.h"
#include "train/hooks.h"
#include "train/slots.h"

namespace sz {
namespace {

template <class A, class B>
void expect_same(A here, B there) {
  EXPECT_EQ(int64_t(here), int64_t(there));
}

TEST(Mirrors, DTypes) {
  expect_same(SZ_F32, DType::kF32);
  expect_same(SZ_F64, DType::kF64);
  expect_same(SZ_F16, DType::kF16);
  expect_same(SZ_BF16, DType::kBF16);
  expect_same(SZ_I64, DType::kI64);
  expect_same(SZ_I32, DType::kI32);
  expect_same(SZ_U8, DType::kU8);
}

TEST(Mirrors, ErrorCodes) {
  expect_same(SZ_OK, Exit::kOk);
  expect_same(SZ_INTERNAL, Exit::kInternal);
  expect_same(SZ_USAGE, Exit::kUsage);
  expect_same(SZ_PLUGIN_FAILED, Exit::kPlugin);
  expect_same(SZ_DATA_BAD, Exit::kData);
  expect_same(SZ_DIVERGED, Exit::kDiverged);
  expect_same(SZ_CORRUPT, Exit::kCorrupt);
  expect_same(SZ_COMM_LOST, Exit::kComm);
  expect_same(SZ_EXHAUSTED, Exit::kExhausted);
  expect_same(SZ_INTERRUPTED, Exit::kInterrupted);
  expect_same(SZ_TERMINATED, Exit::kTerminated);
}

TEST(Mirrors, Hooks) {
  expect_same(SZ_HOOK_COUNT, kHookCount);
  expect_same(SZ_RUN_BEGIN, Hook::kRunBegin);
  expect_same(SZ_MODEL_DECLARED, Hook::kModelDeclared);
  expect_same(SZ_MODEL_BUILT, Hook::kModelBuilt);
  expect_same(SZ_OPTIMIZER_BUILT, Hook::kOptimizerBuilt);
  expect_same(SZ_STATE_LOADED, Hook::kStateLoaded);
  expect_same(SZ_EPOCH_BEGIN, Hook::kEpochBegin);
  expect_same(SZ_STEP_BEGIN, Hook::kStepBegin);
  expect_same(SZ_BATCH_READY, Hook::kBatchReady);
  expect_same(SZ_SEGMENT_FORWARD, Hook::kSegmentForward);
  expect_same(SZ_LOSS_READY, Hook::kLoss);
  expect_same(SZ_SEGMENT_BACKWARD, Hook::kSegmentBackward);
  expect_same(SZ_GRADIENTS_REDUCED, Hook::kGradientsReduced);
  expect_same(SZ_VERDICT, Hook::kVerdict);
  expect_same(SZ_OPTIMIZER_STEP, Hook::kOptimizerStep);
  expect_same(SZ_STEP_SKIPPED, Hook::kStepSkipped);
  expect_same(SZ_STEP_END, Hook::kStepEnd);
  expect_same(SZ_EVAL_BEGIN, Hook::kEvalBegin);
  expect_same(SZ_EVAL_END, Hook::kEvalEnd);
  expect_same(SZ_CHECKPOINT_SAVED, Hook::kCheckpointSaved);
  expect_same(SZ_EPOCH_END, Hook::kEpochEnd);
  expect_same(SZ_RUN_END, Hook::kRunEnd);
  expect_same(SZ_RUN_FAILED, Hook::kRunFailed);
  expect_same(SZ_SIGNAL, Hook::kSignal);
}

TEST(Mirrors, SmallEnums) {
  expect_same(SZ_MODE_TRAIN, Mode::kTrain);
  expect_same(SZ_MODE_RECOMPUTE, Mode::kRecompute);
  expect_same(SZ_MODE_EVALUATE, Mode::kEvaluate);
  expect_same(SZ_MODE_GENERATE, Mode::kGenerate);
  expect_same(SZ_TRAIN, Split::kTrain);
  expect_same(SZ_VALIDATION, Split::kValidation);
  expect_same(SZ_APPLY, Verdict::kApply);
  expect_same(SZ_SKIP, Verdict::kSkip);
  expect_same(SZ_ROLL_BACK, Verdict::kRollBack);
  expect_same(SZ_ABORT, Verdict::kAbort);
  expect_same(SZ_ROLE_EMBEDDING, Role::kEmbedding);
  expect_same(SZ_ROLE_POSITION, Role::kPosition);
  expect_same(SZ_ROLE_NORM, Role::kNorm);
  expect_same(SZ_ROLE_BIAS, Role::kBias);
  expect_same(SZ_ROLE_MATRIX, Role::kMatrix);
  expect_same(SZ_INIT_ZEROS, Init::kZeros);
  expect_same(SZ_INIT_ONES, Init::kOnes);
  expect_same(SZ_INIT_NORMAL, Init::kNormal);
  expect_same(SZ_CHANNEL_GATHER, Channel::kGather);
  expect_same(SZ_CHANNEL_REDUCE, Channel::kReduce);
  expect_same(SZ_STATE_CHECKPOINT, Stateful::Scope::kCheckpoint);
  expect_same(SZ_STATE_CHECKPOINT_AND_ROLLBACK, Stateful::Scope::kCheckpointAndRollback);
}

// The host hands these arrays out as they are.
TEST(Mirrors, ClosedStructs) {
  EXPECT_EQ(sizeof(sz_plan_item), sizeof(PlanItem));
  EXPECT_EQ(offsetof(sz_plan_item, sample), offsetof(PlanItem, sample));
  EXPECT_EQ(offsetof(sz_plan_item, position), offsetof(PlanItem, position));
  EXPECT_EQ(offsetof(sz_plan_item, transform), offsetof(PlanItem, transform));
  EXPECT_EQ(offsetof(sz_plan_item, flags), offsetof(PlanItem, flags));
  EXPECT_EQ(offsetof(sz_plan_item, seed), offsetof(PlanItem, seed));
  EXPECT_EQ(sizeof(sz_outcome), sizeof(SampleOutcome));
  EXPECT_EQ(offsetof(sz_outcome, loss), offsetof(SampleOutcome, loss));
  EXPECT_EQ(offsetof(sz_outcome, tokens), offsetof(SampleOutcome, tokens));
  EXPECT_EQ(offsetof(sz_outcome, correct), offsetof(SampleOutcome, correct));
}

}  // namespace
}  // namespace sz
