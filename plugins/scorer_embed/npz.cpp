#include "scorer_embed/npz.h"

#include <zlib.h>

#include <cstdlib>
#include <cstring>

#include "text/model_files.h"

namespace sz::scorers {
namespace {

using text::ModelError;

template <class Number>
Number number_at(const std::string& bytes, size_t at) {
  Number value;
  if (at + sizeof value > bytes.size()) throw ModelError("the archive ends too early");
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::string piece(const std::string& bytes, size_t at, size_t size) {
  if (at > bytes.size() || size > bytes.size() - at) throw ModelError("the archive ends too early");
  return bytes.substr(at, size);
}

std::string inflated(const std::string& packed, size_t size) {
  std::string out(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw ModelError("zlib can't start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = uInt(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = uInt(out.size());
  const int status = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (status != Z_STREAM_END || stream.avail_out != 0) throw ModelError("a packed array is damaged");
  return out;
}

std::string quoted_after(const std::string& header, const std::string& key) {
  const size_t at = header.find(key);
  const size_t open = header.find('\'', at + key.size());
  const size_t close = header.find('\'', open + 1);
  if (at == std::string::npos || close == std::string::npos) throw ModelError("an array's header is damaged");
  return header.substr(open + 1, close - open - 1);
}

NpyArray parse_npy(const std::string& bytes) {
  if (bytes.compare(0, 6, "\x93NUMPY") != 0) throw ModelError("a member is not an array");
  const size_t header_size = number_at<uint16_t>(bytes, 8);
  const std::string header = piece(bytes, 10, header_size);
  if (header.find("'fortran_order': False") == std::string::npos) throw ModelError("an array is not in C order");
  NpyArray array;
  array.type = quoted_after(header, "'descr':");
  const size_t shape = header.find("'shape': (");
  const size_t end = header.find(')', shape);
  if (shape == std::string::npos || end == std::string::npos) throw ModelError("an array's header is damaged");
  const std::string dimensions = header.substr(shape + 10, end - shape - 10);
  for (const char* at = dimensions.c_str(); *at;) {
    char* next = nullptr;
    const unsigned long value = std::strtoul(at, &next, 10);
    if (next == at) {
      ++at;
      continue;
    }
    array.shape.push_back(value);
    at = next;
  }
  array.bytes = bytes.substr(10 + header_size);
  return array;
}

void expect_type(const NpyArray& array, const char* type, size_t width) {
  if (array.type != type || array.bytes.size() != array.size() * width) {
    throw ModelError("an array is " + array.type + " where " + type + " was expected, or is cut short");
  }
}

}  // namespace

size_t NpyArray::size() const {
  size_t product = 1;
  for (const size_t dimension : shape) product *= dimension;
  return product;
}

std::vector<float> NpyArray::floats() const {
  expect_type(*this, "<f4", 4);
  std::vector<float> out(size());
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

double NpyArray::scalar() const {
  expect_type(*this, "<f8", 8);
  return number_at<double>(bytes, 0);
}

const uint8_t* NpyArray::uint8s() const {
  expect_type(*this, "|u1", 1);
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

// Follows the central directory at the file's end (PKWARE's APPNOTE 4.3).
std::map<std::string, NpyArray> read_npz(const std::string& path, const std::string& what) {
  const std::string file = text::read_model(path, what);
  try {
    const size_t end = file.rfind("PK\5\6");
    if (end == std::string::npos) throw ModelError("it is not an archive");
    const int count = number_at<uint16_t>(file, end + 10);
    size_t at = number_at<uint32_t>(file, end + 16);
    std::map<std::string, NpyArray> arrays;
    for (int i = 0; i < count; ++i) {
      const int method = number_at<uint16_t>(file, at + 10);
      const size_t packed = number_at<uint32_t>(file, at + 20), plain = number_at<uint32_t>(file, at + 24);
      const size_t name_size = number_at<uint16_t>(file, at + 28);
      const size_t skip = number_at<uint16_t>(file, at + 30) + size_t(number_at<uint16_t>(file, at + 32));
      const size_t local = number_at<uint32_t>(file, at + 42);
      std::string name = piece(file, at + 46, name_size);
      const size_t data = local + 30 + number_at<uint16_t>(file, local + 26) + number_at<uint16_t>(file, local + 28);
      std::string bytes = piece(file, data, packed);
      if (method != 0) bytes = inflated(bytes, plain);
      if (name.ends_with(".npy")) name.resize(name.size() - 4);
      arrays[name] = parse_npy(bytes);
      at += 46 + name_size + skip;
    }
    return arrays;
  } catch (const ModelError& e) {
    throw ModelError(path + " is damaged (" + e.what() + "): remove it and run ./scripts/setup.sh again");
  }
}

}  // namespace sz::scorers
