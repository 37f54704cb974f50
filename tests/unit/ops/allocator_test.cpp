#include "ops/allocator.h"

#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <barrier>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "base/error.h"
#include "ops/block_cache.h"

namespace sz {
namespace {

TEST(BlockCache, PayloadsAreAlignedAndOfTheirOwn) {
  BlockCache cache;
  std::vector<std::pair<char*, size_t>> live;
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const size_t bytes = 1 + random() % (size_t(1) << (random() % 20));
    auto* p = static_cast<char*>(cache.allocate(bytes));
    ASSERT_EQ(reinterpret_cast<uintptr_t>(p) % 64, 0u);
    std::memset(p, int(i & 127), bytes);
    live.emplace_back(p, bytes);
    if (random() % 3 == 0) {
      const size_t k = random() % live.size();
      const char first = live[k].first[0];
      for (size_t j = 0; j < live[k].second; ++j) ASSERT_EQ(live[k].first[j], first);
      cache.release(live[k].first);
      live.erase(live.begin() + long(k));
    }
  }
  int64_t bytes = 0;
  for (auto& [p, n] : live) bytes += int64_t(n);
  EXPECT_EQ(cache.stats().live_bytes, bytes);
  for (auto& [p, n] : live) cache.release(p);
  EXPECT_EQ(cache.stats().live_bytes, 0);
  EXPECT_EQ(cache.stats().allocations, 2000);
  EXPECT_EQ(cache.stats().reserved_bytes, cache.stats().cached_bytes);
  cache.release_cached();
  EXPECT_EQ(cache.stats().reserved_bytes, 0);
}

TEST(BlockCache, EverySizeFitsItsBlockWithinAnEighth) {
  BlockCache cache;
  for (size_t bytes = 1; bytes < (size_t(9) << 20); bytes += 1 + bytes / 13) {
    void* p = cache.allocate(bytes);
    std::memset(p, 1, bytes);
    const int64_t reserved = cache.stats().reserved_bytes;
    EXPECT_GE(reserved, int64_t(bytes) + 64);
    EXPECT_LE(reserved, int64_t(bytes + bytes / 8) + 192) << bytes;
    cache.release(p);
    cache.release_cached();
  }
}

TEST(BlockCache, FreedBlocksAreHandedOutAgain) {
  BlockCache cache;
  void* first = cache.allocate(1 << 20);
  cache.release(first);
  EXPECT_EQ(cache.stats().live_bytes, 0);
  EXPECT_GT(cache.stats().cached_bytes, 1 << 20);
  EXPECT_EQ(cache.allocate((1 << 20) - 1000), first);
  EXPECT_EQ(cache.stats().cached_bytes, 0);
  cache.release(first);
  // A slightly smaller size takes it too, and counts what was asked for.
  void* smaller = cache.allocate((1 << 20) - (1 << 17));
  EXPECT_EQ(smaller, first);
  EXPECT_EQ(cache.stats().live_bytes, (1 << 20) - (1 << 17));
  cache.release(smaller);
}

TEST(BlockCache, CacheStaysBelowThePeak) {
  BlockCache cache;
  const int64_t mebibyte = 1 << 20, peak = 100 * mebibyte;
  cache.release(cache.allocate(size_t(peak)));
  for (int64_t size = 90; size >= 20; --size) cache.release(cache.allocate(size_t(size * mebibyte)));
  EXPECT_LE(cache.stats().cached_bytes, peak);
  EXPECT_EQ(cache.stats().peak_bytes, peak);
  EXPECT_EQ(cache.stats().reserved_bytes, cache.stats().cached_bytes);
}

TEST(BlockCache, LimitSaysWhatToDoAndLeavesAccountsRight) {
  BlockCache cache;
  const int64_t mebibyte = 1 << 20;
  cache.set_limit(16 * mebibyte);
  void* held = cache.allocate(size_t(10 * mebibyte));
  try {
    cache.allocate(size_t(7 * mebibyte));
    FAIL() << "went over the limit";
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::kExhausted);
    const std::string text = e.what();
    for (const char* part : {"needs 7.0 MiB", "limit 16.0 MiB", "in use 10.0 MiB", "train.micro_batch"}) {
      EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
  EXPECT_EQ(cache.stats().live_bytes, 10 * mebibyte);
  EXPECT_EQ(cache.stats().peak_bytes, 10 * mebibyte);
  cache.release(held);
  // What is cached gives way before the limit is passed.
  void* other = cache.allocate(size_t(6 * mebibyte));
  EXPECT_EQ(cache.stats().cached_bytes, 0);
  EXPECT_LE(cache.stats().reserved_bytes, 16 * mebibyte);
  cache.release(other);
}

// What was rounded up and what is cached counts as well, where a control group counts.
TEST(BlockCache, LimitOfTheSystemCountsAllThatIsTaken) {
  BlockCache cache;
  const int64_t mebibyte = 1 << 20, limit = 8 * mebibyte;
  cache.set_system_limit(limit, "the control group's limit");
  std::vector<void*> held;
  try {
    for (int i = 0; i < 100; ++i) held.push_back(cache.allocate(132000));  // each takes 144 KiB
    FAIL() << "went over the limit";
  } catch (const Error& e) {
    EXPECT_EQ(e.exit(), Exit::kExhausted);
    const std::string text = e.what();
    for (const char* part : {"the control group's limit", "limit 8.0 MiB", "shards"}) {
      EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
  EXPECT_LT(cache.stats().live_bytes, limit * 15 / 16);
  EXPECT_LE(cache.stats().reserved_bytes, limit);
  for (void* p : held) cache.release(p);
  cache.release(cache.allocate(size_t(7 * mebibyte)));  // what is cached gives way
  EXPECT_LE(cache.stats().reserved_bytes, limit);
}

TEST(BlockCache, ImpossibleRequestIsAnError) {
  BlockCache cache;
  EXPECT_THROW(cache.allocate(size_t(1) << 60), Error);
  EXPECT_THROW(cache.allocate(size_t(1) << 49), Error);
  EXPECT_EQ(cache.stats().live_bytes, 0);
  EXPECT_EQ(cache.stats().reserved_bytes, 0);
}

TEST(BlockCache, PeakIsExactWithThreads) {
  BlockCache cache;
  constexpr int kThreads = 4, kRounds = 50;
  constexpr size_t kBytes = 5000;
  std::barrier sync(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < kRounds; ++round) {
        void* mine = cache.allocate(kBytes + size_t(t));
        sync.arrive_and_wait();  // all hold one now
        cache.release(mine);
        sync.arrive_and_wait();
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(cache.stats().peak_bytes, int64_t(kThreads * kBytes + 0 + 1 + 2 + 3));
  EXPECT_EQ(cache.stats().live_bytes, 0);
}

TEST(BlockCache, ThreadsMayFreeEachOthersBlocks) {
  BlockCache cache;
  std::vector<std::thread> threads;
  std::vector<std::vector<void*>> blocks(4);
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random{unsigned(t)};
      for (int i = 0; i < 2000; ++i) blocks[t].push_back(cache.allocate(1 + random() % 40000));
    });
  }
  for (auto& t : threads) t.join();
  threads.clear();
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (void* p : blocks[(t + 1) % 4]) cache.release(p);
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(cache.stats().live_bytes, 0);
  EXPECT_EQ(cache.stats().reserved_bytes, cache.stats().cached_bytes);
}

TEST(Allocator, CountsTensorsExactly) {
  install_allocator();
  install_allocator();
  const int64_t before = allocator_stats().live_bytes;
  reset_peak();
  {
    const at::Tensor a = at::empty({1000, 3}, at::kFloat);
    EXPECT_EQ(allocator_stats().live_bytes - before, 12000);
    { const at::Tensor b = at::empty({77}, at::kDouble); }
    EXPECT_EQ(allocator_stats().live_bytes - before, 12000);
    EXPECT_EQ(allocator_stats().peak_bytes - before, 12000 + 77 * 8);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(a.const_data_ptr()) % 64, 0u);
    EXPECT_EQ(a.storage().data_ptr().get(), a.storage().data_ptr().get_context());
  }
  EXPECT_EQ(allocator_stats().live_bytes, before);
  reset_peak();
  EXPECT_EQ(allocator_stats().peak_bytes, before);
}

TEST(Allocator, LimitReachesTensors) {
  install_allocator();
  set_memory_limit(allocator_stats().live_bytes + (1 << 20));
  EXPECT_THROW(at::empty({1 << 20}, at::kFloat), Error);
  set_memory_limit(0);
  EXPECT_NO_THROW(at::empty({1 << 20}, at::kFloat));
}

}  // namespace
}  // namespace sz
