// Shared by the checkpoint tests: models whose every element can be foretold.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/safetensors.h"
#include "unit/base/temporary_folder.h"

namespace sz::checkpoint_test {

using test::slurp;
using test::TemporaryFolder;

inline void spill(const std::string& path, const std::string& bytes) {
  std::filesystem::remove(path);  // ext4 flushes a file that was cut and written anew, which is slow
  std::ofstream(path, std::ios::binary | std::ios::trunc).write(bytes.data(), std::streamsize(bytes.size()));
}

// Calls `body`, which must throw Error of kind `exit`; returns its message.
template <typename Body>
std::string error_of(Exit exit, Body&& body) {
  try {
    body();
  } catch (const Error& e) {
    EXPECT_EQ(int(e.exit()), int(exit)) << e.what();
    return e.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return "";
}

// A small model: sizes that no rank count divides, a scalar, an empty array, names in two languages.
inline const std::vector<std::pair<std::string, std::vector<int64_t>>>& parameters() {
  static const std::vector<std::pair<std::string, std::vector<int64_t>>> list = {
      {"h.0/attn.weight", {7, 11}}, {"h.0.bias", {13}}, {"尺度", {}}, {"none", {0, 4}}, {"wte", {101, 3}}};
  return list;
}

inline float expected(const std::string& parameter, const std::string& state, int64_t element, int64_t salt) {
  return float(std::hash<std::string>()(parameter + "/" + state) % 1000 * 1000 + uint64_t(element)) + float(salt) / 8;
}

// Flat elements [first, second) that rank `rank` of `ranks` holds, in uneven cuts.
inline std::pair<int64_t, int64_t> share(int64_t count, int rank, int ranks) {
  const auto cut = [&](int64_t r) { return count * r * (r + 1) / (ranks * (ranks + 1)); };
  return {cut(rank), cut(rank + 1)};
}

// Adds this rank's stretches, the first of them cut in two.
inline void add_share(CheckpointWriter& writer, int rank, int ranks, int64_t salt) {
  for (const auto& [parameter, shape] : parameters()) {
    for (const char* state : {"master", "exp_avg"}) {
      const auto [begin, end] = share(count_elements(shape), rank, ranks);
      std::vector<float> values;
      for (int64_t i = begin; i < end; ++i) values.push_back(expected(parameter, state, i, salt));
      const int64_t middle = begin + (end - begin) / 3;
      if (middle > begin) writer.add({parameter, state, shape, DType::kF32, begin, middle, values.data()});
      if (end > middle || count_elements(shape) == 0) {
        if (count_elements(shape) == 0 && rank != 0) continue;
        writer.add({parameter, state, shape, DType::kF32, middle, end, values.data() + (middle - begin)});
      }
    }
  }
}

inline void save(const std::string& root, int64_t step, int64_t salt, Communicator& comm) {
  CheckpointWriter writer(root, step, step + 1, comm);
  add_share(writer, comm.rank(), comm.size(), salt);
  writer.blob({"amp_o2", 3, BlobScope::kCheckpointAndRollback, std::string("\0scale\xFF", 7)});
  writer.commit({{"salt", salt}, {"route", "mkl"}}, "[run]\nname = \"试验\"\n");
}

inline void expect_share(const CheckpointReader& reader, int rank, int ranks, int64_t salt) {
  for (const auto& [parameter, shape] : parameters()) {
    for (const char* state : {"master", "exp_avg"}) {
      const auto [begin, end] = share(count_elements(shape), rank, ranks);
      std::vector<float> values(size_t(end - begin), -1);
      reader.read(parameter, state, begin, end, values.data());
      for (int64_t i = begin; i < end; ++i) {
        ASSERT_EQ(values[size_t(i - begin)], expected(parameter, state, i, salt)) << parameter << " " << i;
      }
    }
  }
}

}  // namespace sz::checkpoint_test
