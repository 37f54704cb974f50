// FNV-1a, 64 bits: can be continued from a saved state, so that features that share a beginning share its work.
#pragma once
#include <cstdint>
#include <string_view>

namespace sz::text {

inline constexpr uint64_t kHashStart = 0xCBF29CE484222325u;

inline uint64_t hash_more(uint64_t state, std::string_view bytes) {
  for (const char byte : bytes) state = (state ^ static_cast<unsigned char>(byte)) * 0x100000001B3u;
  return state;
}
inline uint64_t hash_of(std::string_view bytes) { return hash_more(kHashStart, bytes); }

// Spreads the state over all bits, for tables whose size is a power of two.
inline uint64_t spread(uint64_t state) {
  state ^= state >> 32;
  state *= 0x9E3779B97F4A7C15u;
  return state ^ state >> 29;
}

}  // namespace sz::text
