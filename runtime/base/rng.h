// Counter-based random numbers: a number is a pure function of (key, counter), so that no generator
// state exists to be saved, restored or kept apart between ranks.
//
// Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace sz {

using Philox4 = std::array<uint32_t, 4>;

inline Philox4 philox(uint64_t key, uint64_t counter_low, uint64_t counter_high) {
  uint32_t c0 = uint32_t(counter_low), c1 = uint32_t(counter_low >> 32);
  uint32_t c2 = uint32_t(counter_high), c3 = uint32_t(counter_high >> 32);
  uint32_t k0 = uint32_t(key), k1 = uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t(0xD2511F53u) * c0, p1 = uint64_t(0xCD9E8D57u) * c2;
    c0 = uint32_t(p1 >> 32) ^ c1 ^ k0;
    c1 = uint32_t(p1);
    c2 = uint32_t(p0 >> 32) ^ c3 ^ k1;
    c3 = uint32_t(p0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {c0, c1, c2, c3};
}

// Mixes words into one key (splitmix64's finaliser, Steele, Lea, Flood, OOPSLA'14).
inline uint64_t mix(uint64_t a, uint64_t b = 0) {
  uint64_t z = a + 0x9E3779B97F4A7C15ull * (b + 1);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// FNV-1a of a name, so that a parameter's initial values depend on (seed, name) alone.
inline uint64_t hash_name(std::string_view s) {
  uint64_t h = 0xCBF29CE484222325ull;
  for (unsigned char c : s) h = (h ^ c) * 0x100000001B3ull;
  return h;
}

// Uniform in (0, 1).
inline double to_unit(uint32_t x) { return (double(x) + 0.5) * (1.0 / 4294967296.0); }

// Two standard normal numbers from two uniform ones (Box, Muller, 1958).
inline std::array<double, 2> to_normal(uint32_t a, uint32_t b) {
  const double r = std::sqrt(-2.0 * std::log(to_unit(a))), t = 6.283185307179586 * to_unit(b);
  return {r * std::cos(t), r * std::sin(t)};
}

// A stream of 64-bit numbers for shuffles and draws; its whole state is (key, next).
class RandomStream {
 public:
  explicit RandomStream(uint64_t key, uint64_t next = 0) : key_(key), next_(next) {}
  uint64_t operator()() {
    const Philox4 p = philox(key_, next_++, 0);
    return uint64_t(p[0]) | uint64_t(p[1]) << 32;
  }
  // Uniform in [0, n), n > 0, without modulo bias (Lemire, 2019).
  uint64_t below(uint64_t n) {
    for (;;) {
      const unsigned __int128 m = static_cast<unsigned __int128>((*this)()) * n;
      if (uint64_t(m) >= (-n) % n) return uint64_t(m >> 64);
    }
  }
  uint64_t next() const { return next_; }

 private:
  uint64_t key_, next_;
};

}  // namespace sz
