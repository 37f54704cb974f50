// The service sz.pacing/1.
#pragma once
#include <string>

#include <sz/plugin.hpp>
#include <sz/services.h>

namespace sz::inline sdk {

class Pacing {
 public:
  static constexpr const char* kService = SZ_PACING;
  struct Move {
    double threshold;
    std::string cause = {};  // empty: it doesn't move
  };

  virtual ~Pacing() = default;
  virtual Move pace(const sz_pacing_signals& signals) = 0;

  Provided provided() {  // how to answer provide()
    static constexpr sz_pacing kTable = {sizeof(sz_pacing), 0, pace_of};
    return {&kTable, this};
  }

 private:
  static sz_error* pace_of(void* object, const sz_pacing_signals* signals, double* threshold, const char** cause) {
    return detail::guard([&] {
      Pacing& pacing = *static_cast<Pacing*>(object);
      Move move = pacing.pace(*signals);
      pacing.cause_ = std::move(move.cause);
      *threshold = move.threshold;
      *cause = pacing.cause_.empty() ? nullptr : pacing.cause_.c_str();
    });
  }
  std::string cause_;
};

}  // namespace sz::inline sdk
