// What the plugin tells: decisions in both languages, and the seconds that each step waited.
#pragma once
#include <sz/config.hpp>
#include <sz/decisions.hpp>
#include <sz/metrics.hpp>

#include <string>

#include "layout.h"
#include "order.h"
#include "waits.h"

namespace zero3 {

// Keys of [plugins.zero3_async_io].
struct Options {
  int stage = 3;
  int64_t prefetch_segments = 2;
  int64_t persist_threshold = 0;
  bool overlap = true, verify = false;

  static Options read(sz::Host host);
};

// Bytes that one rank keeps between steps, by what they are.
struct KeptBytes {
  int64_t parameters = 0, gradients = 0, optimizer = 0, snapshot = 0;
  int64_t total() const { return parameters + gradients + optimizer + snapshot; }
};

class Report {
 public:
  explicit Report(sz::Host host) : decisions_(host), metrics_(host) {}

  void sharding(const Options& options, int ranks, const ModelSpec& model, const Layout& layout,
                const KeptBytes& bytes);
  // The event of an order; quiet for kNone.
  void order(Order::Event event, sz_mode mode, const Order& order, const ModelSpec& model);
  void holding(bool fits, int64_t bytes);
  void waits(const Waits& gather, const Waits& reduce);

 private:
  sz::Decisions decisions_;
  sz::Metrics metrics_;
};

}  // namespace zero3
