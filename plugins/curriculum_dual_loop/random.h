// Counter-based random numbers: all a pure function of their key.
#pragma once
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace curriculum {

// splitmix64's finaliser over two words (Steele, Lea, Flood, OOPSLA'14).
inline uint64_t mix(uint64_t a, uint64_t b = 0) {
  uint64_t z = a + 0x9E3779B97F4A7C15ull * (b + 1);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

class Random {
 public:
  explicit Random(uint64_t key) : key_(key) {}
  uint64_t operator()() { return mix(key_, counter_++); }
  // Uniform in [0, n), n > 0, without modulo bias (Lemire, 2019).
  uint64_t below(uint64_t n) {
    for (;;) {
      const unsigned __int128 m = static_cast<unsigned __int128>((*this)()) * n;
      if (uint64_t(m) >= (-n) % n) return uint64_t(m >> 64);
    }
  }

 private:
  uint64_t key_, counter_ = 0;
};

// Fisher and Yates's shuffle (Durstenfeld, 1964).
template <class T>
void shuffle(std::vector<T>& values, uint64_t key) {
  Random random(key);
  for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

inline std::vector<int32_t> permutation(int64_t n, uint64_t key) {
  std::vector<int32_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, key);
  return order;
}

}  // namespace curriculum
