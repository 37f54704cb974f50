#include "checkpoint/piece_index.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "checkpoint/layout.h"

namespace sz {

using nlohmann::json;

namespace {

using Shapes = std::map<std::string, std::vector<int64_t>>;

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(Exit::kCorrupt, path + ": " + what);
}

// Whole shapes of the arrays of which the file holds stretches.
Shapes parse_shapes(const SafetensorsReader& file) {
  const auto found = file.metadata().find(layout::kShapes);
  if (found == file.metadata().end()) return {};
  try {
    return json::parse(found->second).get<Shapes>();
  } catch (const json::exception& e) {
    fail(file.path(), std::string("the shapes in its metadata cannot be read: ") + e.what());
  }
}

std::string elements(int64_t begin, int64_t end) {
  return "elements " + std::to_string(begin) + " to " + std::to_string(end);
}

}  // namespace

void PieceIndex::add_file(const std::string& path) {
  files_.emplace_back(path);
  const Shapes shapes = parse_shapes(files_.back());
  for (const TensorInfo& tensor : files_.back().tensors()) add_tensor(files_.size() - 1, tensor, shapes);
}

void PieceIndex::add_tensor(size_t file, const TensorInfo& tensor, const Shapes& shapes) {
  const std::string& path = files_[file].path();
  const auto name = layout::parse_tensor_name(tensor.name);
  if (!name) fail(path, "'" + tensor.name + "' is not the name of a stretch of a parameter");

  ArrayInfo info{name->parameter, name->state, tensor.shape, tensor.dtype};
  int64_t begin = 0, end = count_elements(tensor.shape);
  if (!name->whole) {
    const auto shape = shapes.find(info.parameter + "/" + info.state);
    if (shape == shapes.end()) fail(path, "does not say the shape of '" + info.parameter + "/" + info.state + "'");
    if (tensor.shape != std::vector<int64_t>{name->end - name->begin} || count_elements(shape->second) < name->end) {
      fail(path, "'" + tensor.name + "' does not fit its shape");
    }
    info.shape = shape->second;
    begin = name->begin;
    end = name->end;
  }

  Entry& entry = entries_.try_emplace({info.parameter, info.state}, Entry{info, {}}).first->second;
  if (entry.info.shape != info.shape || entry.info.dtype != info.dtype) {
    fail(path, "'" + tensor.name + "' has another shape or dtype than other stretches of it");
  }
  if (begin == end) return;
  const auto next = entry.stretches.lower_bound(begin);
  const bool overlaps = (next != entry.stretches.end() && next->first < end) ||
                        (next != entry.stretches.begin() && std::prev(next)->second.end > begin);
  if (overlaps) fail(path, "'" + tensor.name + "' overlaps another stretch of it");
  entry.stretches.emplace_hint(next, begin, Stretch{end, file, tensor});
}

std::vector<ArrayInfo> PieceIndex::arrays() const {
  std::vector<ArrayInfo> arrays;
  for (const auto& [key, entry] : entries_) arrays.push_back(entry.info);
  return arrays;
}

const ArrayInfo* PieceIndex::find(const std::string& parameter, const std::string& state) const {
  const auto found = entries_.find({parameter, state});
  return found == entries_.end() ? nullptr : &found->second.info;
}

const PieceIndex::Entry& PieceIndex::entry(const ArrayInfo& array) const {
  const auto found = entries_.find({array.parameter, array.state});
  SZ_ASSERT(found != entries_.end());
  return found->second;
}

std::string PieceIndex::missing(const ArrayInfo& array, int64_t begin, int64_t end) const {
  const auto& stretches = entry(array).stretches;
  auto next = stretches.upper_bound(begin);
  if (next != stretches.begin()) begin = std::max(begin, std::prev(next)->second.end);
  for (; begin < end; begin = (next++)->second.end) {
    if (next == stretches.end()) return elements(begin, end);
    if (next->first > begin) return elements(begin, std::min(end, next->first));
  }
  return "";
}

void PieceIndex::read(const ArrayInfo& array, int64_t begin, int64_t end, void* to) const {
  SZ_ASSERT(0 <= begin && begin <= end && end <= count_elements(array.shape));
  if (begin == end) return;
  SZ_ASSERT(missing(array, begin, end).empty());
  const int64_t size = int64_t(size_of(array.dtype));
  const auto& stretches = entry(array).stretches;
  char* out = static_cast<char*>(to);
  for (auto it = std::prev(stretches.upper_bound(begin)); begin < end; ++it) {
    const int64_t stop = std::min(end, it->second.end);
    files_[it->second.file].read(it->second.tensor, (begin - it->first) * size, (stop - it->first) * size, out);
    out += (stop - begin) * size;
    begin = stop;
  }
}

}  // namespace sz
