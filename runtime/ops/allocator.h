// A CPU allocator for LibTorch that keeps freed blocks.
//
// glibc gives large tensors back to the kernel at every free, so that each step faults its pages in again.
// Freed blocks are kept here by size class and handed out again. Live bytes are counted exactly, as requested.
#pragma once
#include <cstdint>
#include <string>

namespace sz {

struct AllocatorStats {
  int64_t live_bytes = 0;      // requested by tensors that live now
  int64_t peak_bytes = 0;      // the highest live_bytes since the last reset_peak(), exact with any number of threads
  int64_t cached_bytes = 0;    // held in freed blocks
  int64_t reserved_bytes = 0;  // taken from the system: live blocks with rounding and headers, plus cached ones
  int64_t allocations = 0;     // requests since the start of the process
};

// Makes it LibTorch's CPU allocator. Call first thing in main; further calls do nothing. Thread: main.
void install_allocator();

// All zero before install_allocator(). Thread: any.
AllocatorStats allocator_stats();

// Starts a new peak at what is live now. Thread: any, but exact only while no other thread allocates.
void reset_peak();

// An allocation that would take live_bytes over the limit throws Error(kExhausted) with what to do; cached blocks
// are released before reserved_bytes would pass it. 0 means none. Thread: any.
void set_memory_limit(int64_t bytes);

// As many bytes may be taken from the system, rounding and cached blocks included; beyond them an allocation releases
// cached blocks, and then throws Error(kExhausted) that tells `whose` limit it is. 0 means none.
// Thread: main, before others allocate.
void set_system_limit(int64_t bytes, const std::string& whose);

// Gives all cached blocks back to the system. Thread: any.
void release_cached_blocks();

}  // namespace sz
