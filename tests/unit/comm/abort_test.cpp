// Ranks that give up, end early or disagree: every wait on every rank ends with the reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/error.h"
#include "comm/communicator.h"

namespace sz {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit(), Exit::kComm);
    return error.what();
  }
  return "nothing was thrown";
}

CommOptions with_timeout(double seconds) {
  CommOptions options;
  options.timeout_s = seconds;
  return options;
}

TEST(Abort, EndsEveryWaitOnEveryRank) {
  run_thread_ranks(4, [](Communicator& comm) {
    const std::string expected = "rank 2 gave up: out of paper 没有纸了";
    if (comm.rank() == 2) {
      comm.abort("out of paper 没有纸了");
      comm.abort("a later reason");
    }
    std::vector<float> data(100000);
    const WorkPtr large = comm.all_reduce(Channel::kReduce, data.data(), data.size(), DType::kF32);
    const WorkPtr small = comm.barrier(Channel::kScalar);
    if (comm.rank() == 1) {  // an operation that the others never start
      EXPECT_EQ(message_of([&] { comm.barrier(Channel::kData)->wait(); }), expected);
    }
    EXPECT_EQ(message_of([&] { large->wait(); comm.barrier(Channel::kGather)->wait(); }), expected);
    EXPECT_EQ(message_of([&] { small->wait(); comm.barrier(Channel::kGather)->wait(); }), expected);
    const WorkPtr late = comm.barrier(Channel::kScalar);
    EXPECT_TRUE(late->done());
    EXPECT_EQ(message_of([&] { late->wait(); }), expected);
    ASSERT_TRUE(comm.aborted());
    EXPECT_EQ(comm.aborted()->rank, 2);
  });
}

// Buffers may be freed as soon as wait() has thrown: run under a sanitizer this proves that nothing touches them.
TEST(Abort, LeavesBuffersAloneAfterwards) {
  for (int round = 0; round < 20; ++round) {
    run_thread_ranks(3, [&](Communicator& comm) {
      auto data = std::make_unique<std::vector<double>>(200000 + 1000 * round);
      const WorkPtr work = comm.all_reduce(Channel::kReduce, data->data(), data->size(), DType::kF64);
      if (comm.rank() == round % 3) comm.abort("stop");
      try {
        work->wait();
      } catch (const Error&) {
      }
      data.reset();
    });
  }
}

// What an exception does that unwinds: handles go before anybody has called abort(), and the buffers with them.
TEST(Abort, ADroppedOperationLeavesItsBuffersAlone) {
  std::atomic<bool> dropped{false}, posted{false};
  const auto body = [&](Communicator& comm) {
    std::vector<float> data(100000, float(comm.rank() + 1));
    const auto post = [&] { return comm.all_reduce(Channel::kReduce, data.data(), data.size(), DType::kF32); };
    if (comm.rank() == 0) {
      post().reset();
      dropped = true;
      while (!posted) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));  // for what must not happen
      EXPECT_EQ(std::ranges::count(data, 1.0f), 100000);
      EXPECT_THAT(message_of([&] { comm.barrier(Channel::kData)->wait(); }), HasSubstr("dropped before its end"));
      throw std::out_of_range("the real reason");
    }
    while (!dropped) std::this_thread::yield();
    const WorkPtr work = post();
    posted = true;
    EXPECT_EQ(message_of([&] { work->wait(); }), "rank 0 gave up: the real reason");
  };
  EXPECT_THROW(run_thread_ranks(2, body), std::out_of_range);
}

TEST(Abort, AnExceptionOfOneRankIsRethrownAndEndsTheOthers) {
  std::atomic<int> told{0};
  const auto body = [&](Communicator& comm) {
    if (comm.rank() == 1) throw std::out_of_range("no such sample");
    try {
      comm.barrier(Channel::kScalar)->wait();
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "rank 1 gave up: no such sample");
      ++told;
      throw;
    }
  };
  EXPECT_THROW(run_thread_ranks(3, body), std::out_of_range);
  EXPECT_EQ(told, 2);
}

TEST(Abort, ACommunicatorDestroyedByAnExceptionAborts) {
  auto comms = make_thread_communicators(2);
  try {
    const auto doomed = std::move(comms[1]);
    throw std::runtime_error("unwinding");
  } catch (const std::runtime_error&) {
  }
  EXPECT_THAT(message_of([&] { comms[0]->barrier(Channel::kScalar)->wait(); }), StartsWith("rank 1 gave up: "));
}

TEST(Abort, SingleCommunicatorThrowsToo) {
  const auto comm = make_single_communicator();
  comm->barrier(Channel::kScalar)->wait();
  EXPECT_FALSE(comm->aborted());
  comm->abort("enough");
  EXPECT_EQ(message_of([&] { comm->barrier(Channel::kScalar)->wait(); }), "rank 0 gave up: enough");
}

TEST(Timeout, NamesChannelOperationAndTheMissingPeer) {
  const auto body = [](Communicator& comm) {
    if (comm.rank() == 1) {
      while (!comm.aborted()) std::this_thread::yield();
      return;
    }
    int64_t value = 0;
    EXPECT_THAT(message_of([&] { comm.all_reduce(Channel::kScalar, &value, 1, DType::kI64)->wait(); }),
                AllOf(HasSubstr("channel scalar, operation 0 (all_reduce of 1 int64)"), HasSubstr("waits for rank 1")));
  };
  run_thread_ranks(3, body, with_timeout(0.2));
}

TEST(Mismatch, NamesBothRanksTheChannelAndTheOperations) {
  run_thread_ranks(2, [](Communicator& comm) {
    comm.barrier(Channel::kReduce)->wait();
    std::vector<float> data(10);
    const std::string message = message_of([&] {
      if (comm.rank() == 0) {
        comm.all_reduce(Channel::kReduce, data.data(), 10, DType::kF32)->wait();
      } else {
        comm.broadcast(Channel::kReduce, data.data(), 5, 1)->wait();
      }
    });
    EXPECT_THAT(message, HasSubstr("ranks 0 and 1 disagree on channel reduce: rank 0 runs all_reduce of 10 fp32 as "
                                   "operation 1, rank 1 runs broadcast of 5 bytes from rank 1 as operation 1"));
  });
}

TEST(Mismatch, FindsOtherCountsTypesAndRoots) {
  const std::vector<std::function<WorkPtr(Communicator&, int)>> calls = {
      [&](Communicator& comm, int odd) {  // too long for a first message on one rank only
        static thread_local std::vector<double> own(100000);
        return comm.all_reduce(Channel::kReduce, own.data(), odd ? 100000 : 10, DType::kF64);
      },
      [&](Communicator& comm, int odd) {
        static thread_local std::vector<double> own(10);
        return comm.all_reduce(Channel::kReduce, own.data(), 10, odd ? DType::kF64 : DType::kI64);
      },
      [&](Communicator& comm, int odd) {
        static thread_local std::vector<double> own(10);
        return comm.broadcast(Channel::kReduce, own.data(), 80, odd);
      },
  };
  for (const auto& call : calls) {
    run_thread_ranks(3, [&](Communicator& comm) {
      EXPECT_THAT(message_of([&] { call(comm, comm.rank() == 1)->wait(); comm.barrier(Channel::kData)->wait(); }),
                  AllOf(HasSubstr("disagree on channel reduce"), HasSubstr("rank 1 runs")));
    });
  }
}

}  // namespace
}  // namespace sz
