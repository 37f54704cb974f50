#include "ops/allocator.h"

#include <c10/core/Allocator.h>

#include <atomic>

#include "ops/block_cache.h"

namespace sz {

namespace {

std::atomic<BlockCache*> installed{nullptr};

void release_payload(void* payload) {
  if (payload) installed.load(std::memory_order_relaxed)->release(payload);
}

// DataPtr's context is the payload itself and raw_deleter() isn't null: oneDNN's bindings rely on both.
class CachingAllocator final : public c10::Allocator {
 public:
  at::DataPtr allocate(size_t bytes) override {
    void* payload = bytes ? installed.load(std::memory_order_relaxed)->allocate(bytes) : nullptr;
    return {payload, payload, &release_payload, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release_payload; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { default_copy_data(to, from, bytes); }
};

}  // namespace

void install_allocator() {
  if (installed.load()) return;
  // Both live as long as the process: tensors in static storage may die after any destructor of ours.
  installed.store(new BlockCache());
  c10::SetAllocator(c10::DeviceType::CPU, new CachingAllocator(), 255);
}

AllocatorStats allocator_stats() {
  const BlockCache* cache = installed.load();
  return cache ? cache->stats() : AllocatorStats{};
}

void reset_peak() {
  if (BlockCache* cache = installed.load()) cache->reset_peak();
}

void set_memory_limit(int64_t bytes) {
  install_allocator();
  installed.load()->set_limit(bytes);
}

void set_system_limit(int64_t bytes, const std::string& whose) {
  install_allocator();
  installed.load()->set_system_limit(bytes, whose);
}

void release_cached_blocks() {
  if (BlockCache* cache = installed.load()) cache->release_cached();
}

}  // namespace sz
