// Reads NumPy's .npz archives: arrays of one type each, in C order.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sz::scorers {

struct NpyArray {
  std::string type;           // "<f4", "<f8", "|u1"
  std::vector<size_t> shape;  // empty for a scalar
  std::string bytes;

  size_t size() const;
  // Errors (all): text::ModelError, for another type or a shape that doesn't fit the bytes.
  std::vector<float> floats() const;
  double scalar() const;
  const uint8_t* uint8s() const;
};

// Errors: text::ModelError naming the file.
std::map<std::string, NpyArray> read_npz(const std::string& path, const std::string& what);

}  // namespace sz::scorers
