// The service sz.scorer/1.
#pragma once
#include <functional>
#include <span>

#include <sz/plugin.hpp>
#include <sz/services.h>

namespace sz::inline sdk {

class Scorer {
 public:
  static constexpr const char* kService = SZ_SCORER;
  using NextText = std::function<bool(sz_text_item&)>;

  virtual ~Scorer() = default;
  // [main] The training corpus, once, before the first score.
  virtual void fit(const NextText& next) {}
  // [any] A finite value a text; routes, where not empty, receives an index into the plugin's list of routes a text.
  virtual void score(std::span<const sz_text_item> items, std::span<double> scores, std::span<uint32_t> routes) = 0;

  // How to answer provide(): `version` is of the scores; `routes` is a static list that ends in null.
  Provided provided(uint32_t version, const char* const* routes) {
    table_ = {sizeof(sz_scorer), version, routes, fit_of, score_of};
    return {&table_, this};
  }

 private:
  static sz_error* fit_of(void* object, sz_next_text next, void* context) {
    return detail::guard([&] {
      static_cast<Scorer*>(object)->fit([&](sz_text_item& item) { return next(context, &item) != 0; });
    });
  }
  static sz_error* score_of(void* object, uint64_t count, const sz_text_item* items, double* scores,
                            uint32_t* routes) {
    return detail::guard([&] {
      static_cast<Scorer*>(object)->score({items, count}, {scores, count},
                                          {routes, routes == nullptr ? 0 : size_t(count)});
    });
  }
  sz_scorer table_ = {};
};

}  // namespace sz::inline sdk
