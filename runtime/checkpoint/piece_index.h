// Which stretch of which array lies where in a set of state files. Internal to checkpoint/.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "checkpoint/safetensors.h"

namespace sz {

class PieceIndex {
 public:
  // Takes in the header of one file. Error(kCorrupt) where pieces of one array disagree, overlap, or are misnamed.
  void add_file(const std::string& path);

  std::vector<ArrayInfo> arrays() const;  // by parameter, then state
  const ArrayInfo* find(const std::string& parameter, const std::string& state) const;
  // What of the array's elements [begin, end) no file holds, as text ("elements 3 to 7"); "" where all are there.
  std::string missing(const ArrayInfo& array, int64_t begin, int64_t end) const;
  // Asserts that nothing is missing. Errors as SafetensorsReader::read. Thread: any.
  void read(const ArrayInfo& array, int64_t begin, int64_t end, void* to) const;

 private:
  struct Stretch {
    int64_t end;   // flat elements, from the key
    size_t file;
    TensorInfo tensor;
  };
  struct Entry {
    ArrayInfo info;
    std::map<int64_t, Stretch> stretches;  // by first element; empty ones are not kept
  };
  void add_tensor(size_t file, const TensorInfo& tensor, const std::map<std::string, std::vector<int64_t>>& shapes);
  const Entry& entry(const ArrayInfo& array) const;

  std::vector<SafetensorsReader> files_;
  std::map<std::pair<std::string, std::string>, Entry> entries_;
};

}  // namespace sz
