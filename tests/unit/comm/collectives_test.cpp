#include "comm/collectives.h"

#include <gtest/gtest.h>

#include <mutex>
#include <numeric>

#include "base/error.h"
#include "comm/communicator.h"
#include "unit/comm/collective_cases.h"

namespace sz {
namespace {

using namespace test;

// The sum over ranks by a plain loop, in rank order.
template <typename Accumulator, typename Load, typename Store>
Bytes serial_sum(int ranks, size_t count, DType dtype, Load load, Store store) {
  const size_t width = size_of(dtype);
  std::vector<Bytes> inputs;
  for (int rank = 0; rank < ranks; ++rank) inputs.push_back(make_input(rank, salt_of(dtype, count), count, dtype));
  Bytes out(count * width);
  for (size_t i = 0; i < count; ++i) {
    Accumulator sum = load(inputs[0].data() + i * width);
    for (int rank = 1; rank < ranks; ++rank) sum += load(inputs[rank].data() + i * width);
    const auto stored = store(sum);
    std::memcpy(out.data() + i * width, &stored, width);
  }
  return out;
}

template <typename T>
T load_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
T same(T value) {
  return value;
}

Bytes serial_sum(int ranks, size_t count, DType dtype) {
  switch (dtype) {
    case DType::kF32: return serial_sum<float>(ranks, count, dtype, load_as<float>, same<float>);
    case DType::kF64: return serial_sum<double>(ranks, count, dtype, load_as<double>, same<double>);
    case DType::kF16: {
      const auto load = [](const std::byte* from) { return float_of_half(load_as<uint16_t>(from)); };
      return serial_sum<float>(ranks, count, dtype, load, half_of_float);
    }
    case DType::kBF16: {
      const auto load = [](const std::byte* from) { return float_of_bfloat16(load_as<uint16_t>(from)); };
      return serial_sum<float>(ranks, count, dtype, load, bfloat16_of_float);
    }
    default: return serial_sum<uint64_t>(ranks, count, dtype, load_as<uint64_t>, same<uint64_t>);
  }
}

class Collectives : public testing::TestWithParam<int> {
 protected:
  int ranks() const { return GetParam(); }

  void on_ranks(const std::function<void(Communicator&)>& body) { run_thread_ranks(ranks(), body, case_options()); }
};

TEST_P(Collectives, AllReduceIsTheSumInRankOrderOnEveryRank) {
  on_ranks([this](Communicator& comm) {
    for (size_t count : kCounts) {
      for (DType dtype : kSummable) {
        EXPECT_EQ(all_reduce_case(comm, dtype, count), serial_sum(ranks(), count, dtype))
            << count << " " << name_of(dtype) << " on rank " << comm.rank();
      }
    }
  });
}

TEST_P(Collectives, ReduceScatterGivesTheBitsOfAllReduce) {
  on_ranks([this](Communicator& comm) {
    for (size_t count : kCounts) {
      for (DType dtype : kSummable) {
        EXPECT_EQ(reduce_scatter_case(comm, dtype, count), serial_sum(ranks(), count * ranks(), dtype))
            << count << " " << name_of(dtype) << " on rank " << comm.rank();
      }
    }
  });
}

TEST_P(Collectives, ReduceScatterMayWriteIntoItsInput) {
  on_ranks([this](Communicator& comm) {
    constexpr size_t kCount = 5000;
    Bytes in = make_input(comm.rank(), salt_of(DType::kF32, kCount * ranks()), kCount * ranks(), DType::kF32);
    const size_t first = comm.rank() * kCount * sizeof(float);
    comm.reduce_scatter(Channel::kReduce, in.data(), in.data() + first, kCount, DType::kF32)->wait();
    const Bytes expected = serial_sum(ranks(), kCount * ranks(), DType::kF32);
    EXPECT_EQ(std::memcmp(in.data() + first, expected.data() + first, kCount * sizeof(float)), 0);
  });
}

TEST_P(Collectives, AllGatherPutsEachRankInItsPlace) {
  on_ranks([this](Communicator& comm) {
    for (size_t bytes : kCounts) {
      if (bytes == 0) continue;
      const Bytes all = all_gather_in_place_case(comm, bytes);
      for (int rank = 0; rank < ranks(); ++rank) {
        const Bytes expected = make_input(rank, bytes, bytes / 8 + 1, DType::kI64);
        EXPECT_EQ(std::memcmp(all.data() + rank * bytes, expected.data(), bytes), 0) << bytes << " bytes of " << rank;
      }
    }
  });
}

TEST_P(Collectives, BroadcastGivesTheRootsBytes) {
  on_ranks([this](Communicator& comm) {
    for (size_t bytes : kCounts) {
      for (int root = 0; root < ranks(); ++root) {
        Bytes expected = make_input(root, bytes + 1, bytes / 8 + 1, DType::kI64);
        expected.resize(bytes);
        EXPECT_EQ(broadcast_case(comm, bytes, root), expected) << bytes << " bytes from " << root;
      }
    }
  });
}

TEST_P(Collectives, AllChannelsAtOnceWithManyOutstanding) {
  on_ranks([this](Communicator& comm) {
    constexpr int kRounds = 20;
    constexpr size_t kCount = 3000;
    std::vector<std::vector<double>> data(kRounds * kChannels, std::vector<double>(kCount));
    std::vector<WorkPtr> works;
    for (size_t i = 0; i < data.size(); ++i) {
      std::fill(data[i].begin(), data[i].end(), static_cast<double>(i) + comm.rank());
      works.push_back(
          comm.all_reduce(static_cast<Channel>(i % kChannels), data[i].data(), kCount - i, DType::kF64));
    }
    for (size_t i = 0; i < data.size(); ++i) {
      works[i]->wait();
      const double expected = static_cast<double>(i) * ranks() + ranks() * (ranks() - 1) / 2.0;
      EXPECT_EQ(data[i][0], expected);
      EXPECT_EQ(data[i][kCount - i - 1], expected);
    }
  });
}

TEST_P(Collectives, BarrierWaitsForEveryRank) {
  std::atomic<int> arrived{0};
  on_ranks([&](Communicator& comm) {
    for (int round = 1; round <= 50; ++round) {
      ++arrived;
      comm.barrier(Channel::kScalar)->wait();
      EXPECT_GE(arrived.load(), round * ranks());
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Collectives, testing::Values(1, 2, 3, 4, 7));

TEST(CollectivesOptions, SegmentSizeDoesNotChangeTheBits) {
  std::vector<Bytes> results;
  std::mutex mutex;
  for (size_t segment_bytes : {64, 1024, 1 << 20}) {
    CommOptions options = case_options();
    options.segment_bytes = segment_bytes;
    run_thread_ranks(3, [&](Communicator& comm) {
      const Bytes result = all_reduce_case(comm, DType::kBF16, 20011);
      const std::lock_guard lock(mutex);
      results.push_back(result);
    }, options);
  }
  for (const Bytes& result : results) EXPECT_EQ(result, results[0]);
}

TEST(PartOf, CoversTheBufferOnce) {
  for (size_t count : {0, 1, 63, 64, 65, 1000}) {
    for (int parts : {1, 2, 3, 7}) {
      size_t next = 0;
      for (int index = 0; index < parts; ++index) {
        const Part part = part_of(count, parts, index, 64);
        if (part.count > 0) {
          EXPECT_EQ(part.first, next);
        }
        next += part.count;
      }
      EXPECT_EQ(next, count);
    }
  }
}

TEST(SingleCommunicator, AgreesWithOneThreadRank) {
  const auto single = make_single_communicator();
  const auto of_single = run_cases(*single);
  run_thread_ranks(1, [&](Communicator& comm) {
    const auto of_thread = run_cases(comm);
    ASSERT_EQ(of_single.size(), of_thread.size());
    for (size_t i = 0; i < of_single.size(); ++i) EXPECT_EQ(of_single[i].output, of_thread[i].output);
  });
}

}  // namespace
}  // namespace sz
