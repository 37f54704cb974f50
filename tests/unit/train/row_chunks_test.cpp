#include "train/row_chunks.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace sz {
namespace {

constexpr uint64_t kPositions[5] = {3, 1, 4, 1, 5};

SegmentCall call_with(TensorList inputs, TensorList grad_outputs) {
  SegmentCall call;
  call.context.positions = kPositions;
  call.inputs = std::move(inputs);
  call.grad_outputs = std::move(grad_outputs);
  return call;
}

TEST(RowChunks, EvenRangesAndNoMoreThanRows) {
  const SegmentCall call = call_with({at::zeros({5, 2})}, {at::zeros({5, 3})});
  const std::vector<RowRange> two = row_ranges(call, 2);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].begin, 0);
  EXPECT_EQ(two[0].end, 2);
  EXPECT_EQ(two[1].end, 5);
  EXPECT_EQ(row_ranges(call, 100).size(), 5u);
}

TEST(RowChunks, WhatHasNoRowsIsNotCut) {
  EXPECT_EQ(row_ranges(call_with({at::zeros({5, 2}), at::zeros({7})}, {at::zeros({5})}), 2).size(), 1u);
  EXPECT_EQ(row_ranges(call_with({at::zeros({5, 2})}, {at::zeros({})}), 2).size(), 1u);
  EXPECT_EQ(row_ranges(call_with({at::zeros({5, 2})}, {at::Tensor(), at::zeros({5})}), 2).size(), 2u);
}

TEST(RowChunks, AChunkIsTheCallOfItsRows) {
  at::Tensor x = at::arange(10.0).view({5, 2}).requires_grad_();
  SegmentCall call = call_with({x, at::zeros({5}, at::kLong)}, {at::ones({5, 2})});
  const SegmentCall chunk = rows_of(call, {1, 3});
  ASSERT_EQ(chunk.context.positions.size(), 2u);
  EXPECT_EQ(chunk.context.positions[0], 1u);
  EXPECT_TRUE(chunk.inputs[0].requires_grad());
  EXPECT_TRUE(chunk.inputs[0].is_leaf());
  EXPECT_FALSE(chunk.inputs[1].requires_grad());
  EXPECT_TRUE(at::equal(chunk.inputs[0], x.narrow(0, 1, 2)));
  EXPECT_EQ(chunk.grad_outputs[0].size(0), 2);
}

TEST(RowChunks, AnInputThatIsNotThereIsNotThereInAChunk) {
  SegmentCall call = call_with({at::zeros({5, 2}).requires_grad_(), at::Tensor()}, {at::ones({5, 2})});
  ASSERT_EQ(row_ranges(call, 2).size(), 2u);
  const SegmentCall chunk = rows_of(call, {0, 2});
  ASSERT_EQ(chunk.inputs.size(), 2u);
  EXPECT_TRUE(chunk.inputs[0].requires_grad());
  EXPECT_FALSE(chunk.inputs[1].defined());
}

TEST(RowChunks, GradientsAreJoinedAndSummed) {
  const SegmentCall call = call_with({at::zeros({5, 2}), at::zeros({5}, at::kLong)}, {});
  RowGradients sum(call);
  for (const RowRange rows : {RowRange{0, 2}, RowRange{2, 5}}) {
    SegmentGradients part;
    part.inputs = {at::full({rows.end - rows.begin, 2}, double(rows.end)), at::Tensor()};
    part.parameters = {at::full({3}, 1.0), at::full({2}, 1.0).to(at::kHalf), at::Tensor()};
    sum.add(rows, std::move(part));
  }
  const SegmentGradients all = sum.take();
  EXPECT_EQ(all.inputs[0].sum().item<double>(), 2 * 2 * 2 + 3 * 2 * 5);
  EXPECT_FALSE(all.inputs[1].defined());
  EXPECT_TRUE(at::equal(all.parameters[0], at::full({3}, 2.0)));
  EXPECT_TRUE(at::equal(all.parameters[1], at::full({2}, 2.0).to(at::kHalf)));
  EXPECT_FALSE(all.parameters[2].defined());
}

// 1 + 2^-11 is half way between two numbers of fp16: rounded at each step the sum would stay 1. What is left is of the
// dtype that it came in, so that one can see where it underflowed.
TEST(RowChunks, HalfPrecisionIsSummedInFp32AndRoundedOnce) {
  const SegmentCall call = call_with({}, {});
  RowGradients sum(call);
  for (const double value : {1.0, 0x1p-11, 0x1p-11}) {
    SegmentGradients part;
    part.parameters = {at::full({2}, value).to(at::kHalf), at::full({2}, value), at::Tensor()};
    sum.add({0, 1}, std::move(part));
  }
  const SegmentGradients all = sum.take();
  EXPECT_EQ(all.parameters[0].scalar_type(), at::kHalf);
  EXPECT_EQ(all.parameters[0][0].item<double>(), 1 + 0x1p-10);
  EXPECT_EQ(all.parameters[1].scalar_type(), at::kFloat);
  EXPECT_FALSE(all.parameters[2].defined());
}

}  // namespace
}  // namespace sz
