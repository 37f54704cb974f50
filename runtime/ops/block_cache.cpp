#include "ops/block_cache.h"

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>

#include "base/error.h"

namespace sz {

namespace {

constexpr size_t kAlign = 64;
constexpr size_t kHugePage = size_t(2) << 20;
constexpr size_t kHugeBlock = size_t(4) << 20;      // from here on blocks ask for huge pages
constexpr size_t kShareBlock = size_t(64) << 10;    // from here on a slightly larger cached block will do
constexpr int kShareClasses = 2;
constexpr int64_t kMinimumCache = int64_t(64) << 20;  // kept whatever the peak
constexpr uint32_t kMagic = 0x535A424Bu;

struct Header {
  uint64_t requested;
  uint64_t block_bytes;
  uint32_t size_class;
  uint32_t magic;
};
static_assert(sizeof(Header) <= kAlign);

// Class k holds blocks of (8 + k % 8) << (k / 8 + 4) bytes: 128, 144, ... 240, 256, 288, ...
size_t class_bytes(int size_class) { return size_t(8 + size_class % 8) << (size_class / 8 + 4); }

int class_of(size_t bytes) {
  if (bytes <= 128) return 0;
  const int power = std::bit_width(bytes - 1) - 1;  // 2^power < bytes <= 2^(power + 1)
  const size_t step = size_t(1) << (power - 3);
  const size_t above = (bytes - (size_t(1) << power) + step - 1) / step;  // 1 .. 8
  return (power - 7) * 8 + int(above);
}

void raise_to(std::atomic<int64_t>& highest, int64_t value) {
  int64_t seen = highest.load(std::memory_order_relaxed);
  while (value > seen && !highest.compare_exchange_weak(seen, value)) {
  }
}

std::string mebibytes(int64_t bytes) {
  const int64_t tenths = (bytes * 10 + (int64_t(1) << 19)) >> 20;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " MiB";
}

Header* header_of(void* payload) { return reinterpret_cast<Header*>(static_cast<char*>(payload) - kAlign); }

}  // namespace

void* BlockCache::allocate(size_t bytes) {
  if (bytes > size_t(1) << 50) exhausted(bytes, "no machine has that much", limit_.load());
  const int size_class = class_of(bytes + kAlign);
  const size_t block_bytes = (class_bytes(size_class) + kAlign - 1) / kAlign * kAlign;
  add_live(int64_t(bytes));
  const int64_t tick = allocations_.fetch_add(1, std::memory_order_relaxed) + 1;
  classes_[size_class].last_use.store(tick, std::memory_order_relaxed);
  void* block = take_cached(size_class);
  if (!block) block = take_near(size_class, block_bytes);
  if (!block) {
    try {
      block = take_from_system(block_bytes, bytes);
    } catch (...) {
      live_.fetch_sub(int64_t(bytes));
      throw;
    }
    *static_cast<Header*>(block) = {0, block_bytes, uint32_t(size_class), kMagic};
  }
  static_cast<Header*>(block)->requested = bytes;
  return static_cast<char*>(block) + kAlign;
}

void BlockCache::release(void* payload) noexcept {
  Header* header = header_of(payload);
  SZ_ASSERT(header->magic == kMagic);
  const int64_t block_bytes = int64_t(header->block_bytes);
  live_.fetch_sub(int64_t(header->requested));
  SizeClass& own = classes_[header->size_class];
  bool kept = true;
  {
    std::lock_guard lock(own.mutex);
    try {
      own.blocks.push_back(header);
    } catch (...) {  // no memory for the list itself
      kept = false;
    }
    if (kept) cached_.fetch_add(block_bytes);
  }
  if (!kept) {
    reserved_.fetch_sub(block_bytes);
    std::free(header);
    return;
  }
  const int64_t cap = std::max(kMinimumCache, highest_live_.load(std::memory_order_relaxed));
  if (cached_.load(std::memory_order_relaxed) > cap) trim(cap);
}

// Live bytes only ever rise here, so the highest value that this sees is the exact peak.
void BlockCache::add_live(int64_t bytes) {
  const int64_t limit = limit_.load(std::memory_order_relaxed);
  int64_t before = live_.load(std::memory_order_relaxed);
  do {
    if (limit > 0 && before + bytes > limit) exhausted(size_t(bytes), "the limit is reached", limit);
  } while (!live_.compare_exchange_weak(before, before + bytes));
  raise_to(peak_, before + bytes);
  raise_to(highest_live_, before + bytes);
}

void* BlockCache::take_cached(int size_class) {
  SizeClass& own = classes_[size_class];
  std::lock_guard lock(own.mutex);
  if (own.blocks.empty()) return nullptr;
  void* block = own.blocks.back();
  own.blocks.pop_back();
  cached_.fetch_sub(int64_t(static_cast<Header*>(block)->block_bytes));
  return block;
}

// Micro-batches pad to their longest sample, so large sizes vary a little from step to step.
void* BlockCache::take_near(int size_class, size_t block_bytes) {
  if (block_bytes < kShareBlock) return nullptr;
  for (int k = size_class + 1; k <= size_class + kShareClasses && k < kClasses; ++k) {
    if (void* block = take_cached(k)) return block;
  }
  return nullptr;
}

// Cached blocks go before a limit is passed. The limit of tensors says nothing about rounding, that of the system does.
void BlockCache::make_room(int64_t block_bytes, size_t wanted) {
  const int64_t limit = limit_.load(std::memory_order_relaxed);
  const int64_t system = system_limit_.load(std::memory_order_relaxed);
  const auto passes = [&](int64_t bytes) { return bytes > 0 && reserved_.load() + block_bytes > bytes; };
  if (!passes(limit) && !passes(system)) return;
  release_cached();
  if (system > 0) malloc_trim(0);  // what glibc keeps counts there too
  if (passes(system)) exhausted(wanted, system_limit_of_, system);
}

void* BlockCache::take_from_system(size_t block_bytes, size_t wanted) {
  const int64_t limit = limit_.load(std::memory_order_relaxed);
  make_room(int64_t(block_bytes), wanted);
  const bool huge = block_bytes >= kHugeBlock;
  const size_t align = huge ? kHugePage : kAlign;
  void* block = nullptr;
  if (posix_memalign(&block, align, block_bytes) != 0) {
    release_cached();
    if (posix_memalign(&block, align, block_bytes) != 0) exhausted(wanted, "the system has no more memory", limit);
  }
  if (huge) madvise(block, block_bytes, MADV_HUGEPAGE);
  reserved_.fetch_add(int64_t(block_bytes));
  return block;
}

int BlockCache::least_recently_used(const std::array<bool, kClasses>& visited) const {
  int oldest = -1;
  int64_t oldest_use = 0;
  for (int k = 0; k < kClasses; ++k) {
    const int64_t use = classes_[k].last_use.load(std::memory_order_relaxed);
    if (use == 0 || visited[k]) continue;
    if (oldest < 0 || use < oldest_use) {
      oldest = k;
      oldest_use = use;
    }
  }
  return oldest;
}

// Frees blocks of one class until `excess` bytes are gone; returns the bytes freed.
int64_t BlockCache::empty_class(int size_class, int64_t excess) noexcept {
  int64_t freed = 0;
  while (freed < excess) {
    void* block = take_cached(size_class);
    if (!block) break;
    const int64_t bytes = int64_t(static_cast<Header*>(block)->block_bytes);
    reserved_.fetch_sub(bytes);
    freed += bytes;
    std::free(block);
  }
  return freed;
}

void BlockCache::trim(int64_t cap) noexcept {
  std::array<bool, kClasses> visited{};
  for (;;) {
    const int64_t excess = cached_.load() - cap;
    const int oldest = excess > 0 ? least_recently_used(visited) : -1;
    if (oldest < 0) return;
    visited[oldest] = true;
    empty_class(oldest, excess);
  }
}

void BlockCache::release_cached() noexcept { trim(0); }

AllocatorStats BlockCache::stats() const {
  AllocatorStats s;
  s.live_bytes = live_.load();
  s.peak_bytes = peak_.load();
  s.cached_bytes = cached_.load();
  s.reserved_bytes = reserved_.load();
  s.allocations = allocations_.load();
  return s;
}

void BlockCache::reset_peak() { peak_.store(live_.load()); }

void BlockCache::set_limit(int64_t bytes) { limit_.store(bytes); }

void BlockCache::set_system_limit(int64_t bytes, const std::string& whose) {
  system_limit_of_ = whose;
  system_limit_.store(bytes);
}

void BlockCache::exhausted(size_t wanted, const std::string& cause, int64_t limit) const {
  throw Error(Exit::kExhausted,
              "out of memory (" + cause + "): a tensor needs " + mebibytes(int64_t(wanted)) + ", limit " +
                  (limit > 0 ? mebibytes(limit) : std::string("none")) + ", in use " + mebibytes(live_.load()) +
                  "; lower train.micro_batch or train.context, raise train.accumulation in turn, or turn on "
                  "a plugin that recomputes or shards");
}

}  // namespace sz
