#include "checkpoint/safetensors.h"

#include <numeric>

#include "base/hash.h"
#include "checkpoint_helpers.h"

namespace sz {
namespace {

using namespace checkpoint_test;

// A file's bytes, from its header text and its data.
std::string file_of(const std::string& header, const std::string& data) {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i) bytes[size_t(i)] = char(uint64_t(header.size()) >> (8 * i) & 0xFF);
  return bytes + header + data;
}

const std::string kEight = "\x01\x02\x03\x04\x05\x06\x07\x08";

// What the safetensors package (0.8.0) writes for {"a": fp32 [1, 2], "b": int64 of shape [1]}, metadata {"k": "v"}.
std::string known_file() {
  std::string bytes("\x88\0\0\0\0\0\0\0", 8);
  bytes +=
      "{\"__metadata__\":{\"k\":\"v\"},\"b\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[0,8]},"
      "\"a\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[8,16]}}";
  bytes.resize(8 + 0x88, ' ');
  bytes += std::string("\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8);
  bytes += std::string("\0\0\x80\x3F\0\0\0\xC0", 8);
  return bytes;
}

TEST(Safetensors, ReadsAKnownFile) {
  const TemporaryFolder folder;
  spill(folder / "known", known_file());
  const SafetensorsReader reader(folder / "known");
  ASSERT_EQ(reader.tensors().size(), 2u);
  EXPECT_EQ(reader.metadata().at("k"), "v");

  const TensorInfo* a = reader.find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->dtype, DType::kF32);
  EXPECT_EQ(a->shape, (std::vector<int64_t>{1, 2}));
  float values[2] = {};
  reader.read(*a, 0, 8, values);
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], -2.0f);
  reader.read(*a, 4, 8, values);
  EXPECT_EQ(values[0], -2.0f);
  int64_t whole = 0;
  reader.read(*reader.find("b"), 0, 8, &whole);
  EXPECT_EQ(whole, -2);
  EXPECT_EQ(reader.find("c"), nullptr);
}

TEST(Safetensors, WritesTheFormat) {
  const TemporaryFolder folder;
  SafetensorsWriter writer(folder / "file", 8);
  writer.set_metadata("k", "v");
  const float values[2] = {1, -2};
  writer.begin("a", DType::kF32, {1, 2});
  writer.append(values, 4);
  writer.append(values + 1, 4);
  const auto summary = writer.finish();

  const std::string bytes = slurp(folder / "file");
  ASSERT_EQ(int64_t(bytes.size()), summary.header_bytes + summary.data_bytes);
  EXPECT_EQ(summary.header_bytes % 8, 0);
  const auto length = size_t(summary.header_bytes) - 8;
  EXPECT_EQ(bytes.substr(0, 8), file_of(std::string(length, ' '), "").substr(0, 8));
  EXPECT_EQ(nlohmann::json::parse(bytes.substr(8, length)),
            nlohmann::json::parse(R"({"__metadata__":{"k":"v"},
                                      "a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}})"));
  EXPECT_EQ(bytes.substr(8 + length), std::string("\0\0\x80\x3F\0\0\0\xC0", 8));
  EXPECT_EQ(summary.header_hash, xxh3_64(bytes.substr(0, size_t(summary.header_bytes))));
  EXPECT_EQ(summary.data_hash, xxh3_64(bytes.substr(size_t(summary.header_bytes))));
}

TEST(Safetensors, RoundTripsEveryDtypeAndOddShapes) {
  const TemporaryFolder folder;
  const DType dtypes[] = {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI64, DType::kI32, DType::kU8};
  SafetensorsWriter writer(folder / "file");
  std::string all(1000, '\0');
  std::iota(all.begin(), all.end(), '\0');
  for (const DType dtype : dtypes) {
    writer.begin(name_of(dtype), dtype, {3, 5});
    writer.append(all.data(), 15 * size_of(dtype));
  }
  writer.begin("标量 \"quoted\"\n", DType::kU8, {});
  writer.append("x", 1);
  writer.begin("empty", DType::kF32, {2, 0, 3});
  writer.finish();

  const SafetensorsReader reader(folder / "file");
  EXPECT_EQ(reader.tensors().size(), 9u);
  for (const DType dtype : dtypes) {
    const TensorInfo* tensor = reader.find(name_of(dtype));
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(tensor->dtype, dtype);
    std::string bytes(15 * size_of(dtype), '\0');
    reader.read(*tensor, 0, int64_t(bytes.size()), bytes.data());
    EXPECT_EQ(bytes, all.substr(0, bytes.size()));
  }
  EXPECT_EQ(reader.find("标量 \"quoted\"\n")->shape, std::vector<int64_t>{});
  EXPECT_EQ(reader.find("empty")->shape, (std::vector<int64_t>{2, 0, 3}));
}

// Headers longer than the room left for them move the data; 9 MB of it, so that the move takes several turns.
TEST(Safetensors, MovesDataForALongHeader) {
  const TemporaryFolder folder;
  SafetensorsWriter writer(folder / "file", 64);
  std::vector<int32_t> values(750'000);
  for (int t = 0; t < 3; ++t) {
    std::iota(values.begin(), values.end(), t * 1'000'000);
    writer.begin("tensor " + std::to_string(t) + std::string(5000, 'x'), DType::kI32, {int64_t(values.size())});
    writer.append(values.data(), values.size() * 4);
  }
  const auto summary = writer.finish();
  EXPECT_GT(summary.header_bytes, 15'000);
  EXPECT_EQ(summary.data_hash, xxh3_64(slurp(folder / "file").substr(size_t(summary.header_bytes))));
  const SafetensorsReader reader(folder / "file");
  for (int t = 0; t < 3; ++t) {
    int32_t last = 0;
    const TensorInfo& tensor = reader.tensors()[size_t(t)];
    reader.read(tensor, int64_t(values.size() - 1) * 4, int64_t(values.size()) * 4, &last);
    EXPECT_EQ(last, t * 1'000'000 + int32_t(values.size()) - 1);
  }
}

TEST(Safetensors, RefusesHostileHeaders) {
  const TemporaryFolder folder;
  const auto tensor = [](const std::string& fields) { return "{\"a\":{" + fields + "}}"; };
  const std::pair<std::string, std::string> cases[] = {
      {"", "not a JSON object"},
      {"[]", "not a JSON object"},
      {"{\"a\":", "not valid JSON"},
      {"{\"\xFF\":1}", "not valid JSON"},
      {std::string(100'000, '['), "not a JSON object"},
      {"{\"a\":" + std::string(100'000, '['), "not valid JSON"},
      {"{\"a\":1}", "not described by an object"},
      {tensor("\"shape\":[2],\"data_offsets\":[0,8]"), "has no 'dtype'"},
      {tensor("\"dtype\":\"F33\",\"shape\":[2],\"data_offsets\":[0,8]"), "unknown dtype"},
      {tensor("\"dtype\":3,\"shape\":[2],\"data_offsets\":[0,8]"), "unknown dtype"},
      {tensor("\"dtype\":\"F32\",\"data_offsets\":[0,8]"), "has no 'shape'"},
      {tensor("\"dtype\":\"F32\",\"shape\":2,\"data_offsets\":[0,8]"), "shape is not a list"},
      {tensor("\"dtype\":\"F32\",\"shape\":[-2],\"data_offsets\":[0,8]"), "not a whole number"},
      {tensor("\"dtype\":\"F32\",\"shape\":[2.0],\"data_offsets\":[0,8]"), "not a whole number"},
      {tensor("\"dtype\":\"F32\",\"shape\":[18446744073709551615],\"data_offsets\":[0,8]"), "not a whole number"},
      {tensor("\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[0,8]"), "does not fit"},
      {tensor("\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,8]"), "does not fit"},
      {tensor("\"dtype\":\"F64\",\"shape\":[2305843009213693953],\"data_offsets\":[0,8]"), "does not fit"},
      {tensor("\"dtype\":\"F32\",\"shape\":[2]"), "has no 'data_offsets'"},
      {tensor("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0]"), "not a pair"},
      {tensor("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,16]"), "do not lie in"},
      {tensor("\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[8,0]"), "do not lie in"},
      {tensor("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]"), "its tensors end at"},
      {tensor("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]"), "a gap before"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[5],\"data_offsets\":[0,5]},"
       "\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,8]}}", "overlaps"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]},"
       "\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]}}", "twice"},
      {"{\"__metadata__\":[],\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]}}", "__metadata__"},
      {"{\"__metadata__\":{\"k\":1},\"a\":{\"dtype\":\"U8\",\"shape\":[8],\"data_offsets\":[0,8]}}", "not a string"},
  };
  for (const auto& [header, expected] : cases) {
    spill(folder / "hostile", file_of(header, kEight));
    const std::string message = error_of(Exit::kCorrupt, [&] { SafetensorsReader reader(folder / "hostile"); });
    EXPECT_NE(message.find(expected), std::string::npos) << header.substr(0, 100) << "\n" << message;
    EXPECT_EQ(message.rfind(folder / "hostile", 0), 0u) << message;
  }
  spill(folder / "hostile", std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF{}", 10));
  EXPECT_NE(error_of(Exit::kCorrupt, [&] { SafetensorsReader reader(folder / "hostile"); }).find("too large"),
            std::string::npos);
  error_of(Exit::kUsage, [&] { SafetensorsReader reader(folder / "absent"); });
  error_of(Exit::kCorrupt, [&] { SafetensorsReader reader(folder.path()); });
}

TEST(Safetensors, RefusesEveryTruncation) {
  const TemporaryFolder folder;
  const std::string bytes = known_file();
  for (size_t length = 0; length < bytes.size(); ++length) {
    spill(folder / "torn", bytes.substr(0, length));
    error_of(Exit::kCorrupt, [&] { SafetensorsReader reader(folder / "torn"); });
  }
  spill(folder / "torn", bytes + "x");
  error_of(Exit::kCorrupt, [&] { SafetensorsReader reader(folder / "torn"); });
}

// A flipped bit may leave a well-formed header; it must never do worse than an Error.
TEST(Safetensors, SurvivesEveryFlippedBit) {
  const TemporaryFolder folder;
  const std::string bytes = known_file();
  int refused = 0;
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = char(flipped[bit / 8] ^ (1 << (bit % 8)));
    spill(folder / "flipped", flipped);
    try {
      const SafetensorsReader reader(folder / "flipped");
      int64_t total = 0;
      for (const TensorInfo& tensor : reader.tensors()) total += tensor.end - tensor.begin;
      EXPECT_LE(total, int64_t(bytes.size()));
    } catch (const Error& e) {
      EXPECT_EQ(int(e.exit()), int(Exit::kCorrupt));
      ++refused;
    }
  }
  EXPECT_GT(refused, 500);
}

TEST(Safetensors, ReadNoticesAFileCutAfterOpening) {
  const TemporaryFolder folder;
  spill(folder / "file", known_file());
  const SafetensorsReader reader(folder / "file");
  std::filesystem::resize_file(folder / "file", known_file().size() - 1);
  float values[2];
  error_of(Exit::kCorrupt, [&] { reader.read(*reader.find("a"), 0, 8, values); });
}

}  // namespace
}  // namespace sz
