// The allocator's store of blocks, without LibTorch: size classes, free lists, accounting.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "ops/allocator.h"

namespace sz {

// A block is a 64-byte header and then the payload, 64-byte aligned. Eight classes per power of two, so that
// rounding wastes at most an eighth; each has its own lock. A freed block stays in its class's list; once more is
// cached than was ever live at a time, the classes longest unused are emptied first. Thread: any.
class BlockCache {
 public:
  // bytes > 0. Throws Error(kExhausted).
  void* allocate(size_t bytes);
  void release(void* payload) noexcept;

  AllocatorStats stats() const;
  void reset_peak();
  void set_limit(int64_t bytes);
  void set_system_limit(int64_t bytes, const std::string& whose);
  void release_cached() noexcept;

 private:
  struct SizeClass {
    std::mutex mutex;
    std::vector<void*> blocks;
    std::atomic<int64_t> last_use{0};
  };
  static constexpr int kClasses = 8 * 48;

  void add_live(int64_t bytes);
  void* take_cached(int size_class);
  void* take_near(int size_class, size_t block_bytes);
  void* take_from_system(size_t block_bytes, size_t wanted);
  void trim(int64_t cap) noexcept;
  int least_recently_used(const std::array<bool, kClasses>& visited) const;
  int64_t empty_class(int size_class, int64_t excess) noexcept;
  void make_room(int64_t block_bytes, size_t wanted);
  [[noreturn]] void exhausted(size_t wanted, const std::string& cause, int64_t limit) const;

  std::array<SizeClass, kClasses> classes_;
  std::atomic<int64_t> live_{0}, peak_{0}, highest_live_{0}, cached_{0}, reserved_{0}, allocations_{0}, limit_{0};
  std::atomic<int64_t> system_limit_{0};
  std::string system_limit_of_;
};

}  // namespace sz
