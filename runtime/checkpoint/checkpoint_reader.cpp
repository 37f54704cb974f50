#include "base/files.h"
#include "checkpoint/layout.h"
#include "checkpoint/manifest.h"
#include "checkpoint/piece_index.h"

namespace sz {

struct CheckpointReader::Impl {
  std::string folder;
  CheckpointManifest manifest;
  PieceIndex index;

  std::string array_name(const std::string& parameter, const std::string& state) const {
    return folder + ": '" + parameter + "/" + state + "'";
  }
  const ArrayInfo& array(const std::string& parameter, const std::string& state) const {
    const ArrayInfo* found = index.find(parameter, state);
    if (!found) throw Error(Exit::kCorrupt, array_name(parameter, state) + " is not in this checkpoint");
    return *found;
  }
};

CheckpointReader CheckpointReader::open(const std::string& folder) {
  auto impl = std::make_shared<Impl>();
  impl->folder = folder;
  impl->manifest = CheckpointManifest::load(folder);
  for (const FileRecord& file : impl->manifest.files) {
    if (layout::is_state_file(file.name)) impl->index.add_file(folder + "/" + file.name);
  }
  CheckpointReader reader;
  reader.impl_ = std::move(impl);
  return reader;
}

void CheckpointReader::verify() const {
  for (const FileRecord& file : impl_->manifest.files) verify_file(impl_->folder, file);
}

const std::string& CheckpointReader::folder() const { return impl_->folder; }
int64_t CheckpointReader::step() const { return impl_->manifest.step; }
int64_t CheckpointReader::attempt() const { return impl_->manifest.attempt; }
int CheckpointReader::ranks() const { return impl_->manifest.ranks; }
const nlohmann::json& CheckpointReader::meta() const { return impl_->manifest.meta; }
std::string CheckpointReader::config_toml() const { return read_file(impl_->folder + "/" + layout::kConfig); }

std::vector<ArrayInfo> CheckpointReader::arrays() const { return impl_->index.arrays(); }

bool CheckpointReader::has(const std::string& parameter, const std::string& state) const {
  return impl_->index.find(parameter, state) != nullptr;
}

ArrayInfo CheckpointReader::info(const std::string& parameter, const std::string& state) const {
  return impl_->array(parameter, state);
}

void CheckpointReader::read(const std::string& parameter, const std::string& state, int64_t begin, int64_t end,
                            void* to) const {
  const ArrayInfo& array = impl_->array(parameter, state);
  const int64_t count = count_elements(array.shape);
  if (begin < 0 || begin > end || end > count) {
    throw Error(Exit::kCorrupt, impl_->array_name(parameter, state) + " has " + std::to_string(count) +
                                    " elements, " + std::to_string(begin) + " to " + std::to_string(end) +
                                    " were asked for: the checkpoint is of another model");
  }
  const std::string gap = impl_->index.missing(array, begin, end);
  if (!gap.empty()) {
    throw Error(Exit::kCorrupt, impl_->array_name(parameter, state) + ": " + gap + " are in none of its files");
  }
  impl_->index.read(array, begin, end, to);
}

std::optional<Blob> CheckpointReader::blob(const std::string& plugin) const {
  for (const BlobRecord& record : impl_->manifest.blobs) {
    if (record.plugin != plugin) continue;
    const std::string bytes = read_file(impl_->folder + "/" + layout::plugin_file(plugin));
    return Blob{record.plugin, record.version, record.scope, bytes};
  }
  return std::nullopt;
}

std::vector<std::string> CheckpointReader::blobs() const {
  std::vector<std::string> ids;
  for (const BlobRecord& record : impl_->manifest.blobs) ids.push_back(record.plugin);
  return ids;
}

}  // namespace sz
