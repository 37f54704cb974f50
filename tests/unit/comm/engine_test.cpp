#include "comm/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "base/error.h"
#include "comm/collectives.h"
#include "comm/thread_transport.h"

namespace sz {
namespace {

TEST(Engine, RethrowsWhatTheTransportsFactoryThrows) {
  const auto make = [] { Engine([]() -> std::unique_ptr<Transport> { throw Error(Exit::kComm, "no network"); }, {}); };
  EXPECT_THROW(make(), Error);
}

TEST(Engine, FinishesWhatWasEnqueuedBeforeItEnds) {
  const auto world = make_thread_world(2);
  const auto factory = [&](int rank) { return [&world, rank] { return make_thread_transport(world, rank); }; };
  std::vector<int64_t> values = {1, 2};
  std::vector<WorkPtr> works;
  {
    Engine a(factory(0), {});
    Engine b(factory(1), {});
    works.push_back(a.post(Channel::kReduce, make_all_reduce(&values[0], 1, DType::kI64)));
    works.push_back(b.post(Channel::kReduce, make_all_reduce(&values[1], 1, DType::kI64)));
  }
  for (const WorkPtr& work : works) EXPECT_TRUE(work->done());
  EXPECT_THAT(values, testing::ElementsAre(3, 3));
}

TEST(Engine, OperationsOfAChannelEndInOrderAndTellTheirTimes) {
  std::vector<CommEvent> events;
  CommOptions options;
  options.on_finished = [&](const CommEvent& event) {
    if (event.rank == 0) events.push_back(event);
  };
  run_thread_ranks(2, [](Communicator& comm) {
    std::vector<float> large(300000);
    const WorkPtr first = comm.all_reduce(Channel::kReduce, large.data(), large.size(), DType::kF32);
    const WorkPtr second = comm.barrier(Channel::kReduce);
    second->wait();
    EXPECT_TRUE(first->done());
    EXPECT_LE(first->times().posted, first->times().started);
    EXPECT_LE(first->times().started, first->times().finished);
    EXPECT_LE(first->times().finished, second->times().started);
  }, options);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].operation, "all_reduce of 300000 fp32");
  EXPECT_EQ(events[1].operation, "barrier");
  EXPECT_EQ(events[1].sequence, 1u);
  EXPECT_EQ(events[1].channel, Channel::kReduce);
}

TEST(Engine, AChannelDoesNotWaitForAnother) {
  run_thread_ranks(2, [](Communicator& comm) {
    WorkPtr blocked;
    if (comm.rank() == 0) blocked = comm.barrier(Channel::kGather);  // rank 1 comes later
    comm.barrier(Channel::kScalar)->wait();
    if (comm.rank() == 1) blocked = comm.barrier(Channel::kGather);
    blocked->wait();
  });
}

}  // namespace
}  // namespace sz
