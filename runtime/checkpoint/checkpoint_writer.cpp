#include <algorithm>
#include <filesystem>
#include <map>
#include <new>
#include <optional>

#include "base/files.h"
#include "base/hash.h"
#include "checkpoint/file.h"
#include "checkpoint/layout.h"
#include "checkpoint/manifest.h"
#include "checkpoint/piece_index.h"

namespace sz {

using nlohmann::json;
namespace fs = std::filesystem;

namespace {

// Every rank's text, by rank.
std::vector<std::string> gather_texts(Communicator& comm, const std::string& mine) {
  const size_t ranks = size_t(comm.size());
  const int64_t length = int64_t(mine.size());
  std::vector<int64_t> lengths(ranks);
  comm.all_gather(Channel::kData, &length, lengths.data(), sizeof length)->wait();

  const size_t longest = size_t(*std::max_element(lengths.begin(), lengths.end()));
  std::vector<std::string> texts(ranks);
  if (longest == 0) return texts;
  std::string padded = mine, all(ranks * longest, '\0');
  padded.resize(longest);
  comm.all_gather(Channel::kData, padded.data(), all.data(), longest)->wait();
  for (size_t r = 0; r < ranks; ++r) texts[r] = all.substr(r * longest, size_t(lengths[r]));
  return texts;
}

struct Failure {
  Exit exit;
  std::string cause;
};

// Collective: throws on every rank, with all causes, where any rank has failed.
void agree(Communicator& comm, const std::string& what, const std::optional<Failure>& mine) {
  const std::string text = mine ? std::to_string(int(mine->exit)) + " " + mine->cause : "";
  std::string message;
  Exit exit = Exit::kOk;
  const std::vector<std::string> texts = gather_texts(comm, text);
  for (size_t r = 0; r < texts.size(); ++r) {
    if (texts[r].empty()) continue;
    if (exit == Exit::kOk) exit = Exit(std::stoi(texts[r]));
    const std::string cause = texts[r].substr(texts[r].find(' ') + 1);
    message += (message.empty() ? "" : "; ") + (texts.size() > 1 ? "rank " + std::to_string(r) + ": " : "") + cause;
  }
  if (exit != Exit::kOk) throw Error(exit, what + " was not saved: " + message);
}

// Runs `work`, keeping what it throws.
template <typename Work>
std::optional<Failure> catching(Work&& work) {
  try {
    work();
  } catch (const Error& e) {
    return Failure{e.exit(), e.what()};
  } catch (const std::bad_alloc&) {
    return Failure{Exit::kExhausted, "out of memory"};
  } catch (const std::exception& e) {
    return Failure{Exit::kInternal, e.what()};
  }
  return std::nullopt;
}

FileRecord write_small_file(const std::string& folder, const std::string& name, const std::string& bytes) {
  write_synced_file(folder + "/" + name, bytes);
  return {name, {{int64_t(bytes.size()), xxh3_64(bytes)}}};
}

int64_t next_serial(const std::string& root) {
  int64_t serial = 0;
  for (const CheckpointInfo& info : list_checkpoints(root)) serial = std::max(serial, info.serial);
  return serial + 1;
}

}  // namespace

struct CheckpointWriter::Impl {
  Impl(const std::string& root, int64_t step, int64_t attempt, Communicator& comm);
  ~Impl();

  void make_folder();
  void write_piece(const Piece& piece);
  std::string finish_state();  // this rank's file record as JSON text; "" without a file
  void check_pieces(const std::vector<FileRecord>& states) const;
  void publish(const std::vector<std::string>& records, const json& meta, const std::string& config_toml);
  // Only the first failure is kept: what follows is its consequence.
  void keep(std::optional<Failure> f) {
    if (!failure && f) failure = std::move(f);
  }

  const std::string root;
  const int64_t step, attempt;
  Communicator& comm;
  const std::string folder, temporary, name;  // name: for messages
  std::optional<SafetensorsWriter> state;     // made with the first piece
  std::map<std::string, std::vector<int64_t>> shapes;  // of arrays held in part
  std::vector<FileRecord> blob_files;
  std::vector<BlobRecord> blobs;
  std::optional<Failure> failure;
  bool ended = false, committed = false;  // commit() was called, and it succeeded
};

CheckpointWriter::Impl::Impl(const std::string& root_folder, int64_t step_number, int64_t attempt_number,
                             Communicator& communicator)
    : root(root_folder),
      step(step_number),
      attempt(attempt_number),
      comm(communicator),
      folder(root + "/" + layout::step_folder(step)),
      temporary(folder + layout::kTemporary),
      name("checkpoint " + folder) {
  SZ_ASSERT(step >= 0 && attempt >= 0);
  if (comm.rank() == 0) keep(catching([&] { make_folder(); }));
  agree(comm, name, failure);
}

CheckpointWriter::Impl::~Impl() {
  if (committed) return;
  state.reset();
  if (comm.rank() != 0) return;
  // Another rank that was about to create its file can make one turn fail.
  std::error_code error;
  for (int turn = 0; turn < 3; ++turn) {
    fs::remove_all(temporary, error);
    if (!error) break;
  }
}

void CheckpointWriter::Impl::make_folder() {
  make_directories(root);
  sync_folder(folder_of(root));
  std::error_code error;
  fs::remove_all(temporary, error);  // left by a process that died
  if (error) throw io_error("remove", temporary, error.value());
  make_directories(temporary);
}

void CheckpointWriter::Impl::write_piece(const Piece& piece) {
  if (!state) state.emplace(temporary + "/" + layout::state_file(comm.rank(), comm.size()));
  layout::TensorName tensor{piece.parameter, piece.state, true, 0, 0};
  std::vector<int64_t> shape = piece.shape;
  if (piece.begin != 0 || piece.end != count_elements(piece.shape)) {
    shapes[piece.parameter + "/" + piece.state] = piece.shape;
    shape = {piece.end - piece.begin};
    tensor.whole = false;
    tensor.begin = piece.begin;
    tensor.end = piece.end;
  }
  state->begin(layout::tensor_name(tensor), piece.dtype, shape);
  state->append(piece.bytes, size_t(piece.end - piece.begin) * size_of(piece.dtype));
}

std::string CheckpointWriter::Impl::finish_state() {
  if (!state) return "";
  state->set_metadata("format", "socratic-zero");
  if (!shapes.empty()) state->set_metadata(layout::kShapes, json(shapes).dump());
  const SafetensorsWriter::Summary s = state->finish();
  const FileRecord record{layout::state_file(comm.rank(), comm.size()),
                          {{s.header_bytes, s.header_hash}, {s.data_bytes, s.data_hash}}};
  return to_json_object(record).dump();
}

// Whether the ranks' files, as rank 0 sees them, hold every element once.
void CheckpointWriter::Impl::check_pieces(const std::vector<FileRecord>& states) const {
  PieceIndex index;
  for (const FileRecord& file : states) {
    const std::string path = temporary + "/" + file.name;
    std::error_code error;
    if (!fs::exists(path, error)) {
      throw Error(Exit::kUsage, path + ": written by another rank, but rank 0 does not see it; the run folder must lie "
                                       "on a file system that all nodes share");
    }
    index.add_file(path);
  }
  for (const ArrayInfo& array : index.arrays()) {
    const std::string gap = index.missing(array, 0, count_elements(array.shape));
    if (gap.empty()) continue;
    throw Error(Exit::kInternal, "no rank exported " + gap + " of '" + array.parameter + "/" + array.state + "'");
  }
}

// The manifest comes last, so that a folder with one is complete; the rename makes it visible.
void CheckpointWriter::Impl::publish(const std::vector<std::string>& records, const json& meta,
                                     const std::string& config_toml) {
  SZ_ASSERT(meta.is_object());
  CheckpointManifest manifest;
  manifest.step = step;
  manifest.attempt = attempt;
  manifest.serial = next_serial(root);
  manifest.ranks = comm.size();
  manifest.meta = meta;
  manifest.blobs = blobs;
  for (const std::string& record : records) {
    if (!record.empty()) manifest.files.push_back(file_record_from(name, json::parse(record)));
  }
  check_pieces(manifest.files);
  manifest.files.push_back(write_small_file(temporary, layout::kConfig, config_toml));
  manifest.files.insert(manifest.files.end(), blob_files.begin(), blob_files.end());
  if (!blobs.empty()) sync_folder(temporary + "/" + layout::kPlugins);

  write_synced_file(temporary + "/" + layout::kManifest, manifest.to_text());
  CheckpointManifest::load(temporary);  // a second look before anything is replaced
  sync_folder(temporary);
  replace_folder(temporary, folder, folder + layout::kReplaced);
}

CheckpointWriter::CheckpointWriter(const std::string& root, int64_t step, int64_t attempt, Communicator& comm)
    : impl_(std::make_unique<Impl>(root, step, attempt, comm)) {}

CheckpointWriter::~CheckpointWriter() = default;

void CheckpointWriter::add(const Piece& piece) {
  SZ_ASSERT(!piece.parameter.empty() && layout::is_file_id(piece.state));
  SZ_ASSERT(0 <= piece.begin && piece.begin <= piece.end && piece.end <= count_elements(piece.shape));
  if (!impl_->failure) impl_->keep(catching([&] { impl_->write_piece(piece); }));
}

void CheckpointWriter::blob(const Blob& blob) {
  if (impl_->comm.rank() != 0 || impl_->failure) return;
  impl_->keep(catching([&] {
    if (!layout::is_file_id(blob.plugin)) {
      throw Error(Exit::kPlugin, "'" + blob.plugin + "' cannot name a plugin's state: use letters, digits, _ - .");
    }
    for (const BlobRecord& other : impl_->blobs) {
      if (other.plugin == blob.plugin) throw Error(Exit::kPlugin, "two plugins save state as '" + blob.plugin + "'");
    }
    make_directories(impl_->temporary + "/" + layout::kPlugins);
    const std::string file = layout::plugin_file(blob.plugin);
    impl_->blob_files.push_back(write_small_file(impl_->temporary, file, blob.bytes));
    impl_->blobs.push_back({blob.plugin, blob.version, blob.scope});
  }));
}

void CheckpointWriter::fail(Exit exit, const std::string& cause) { impl_->keep(Failure{exit, cause}); }

void CheckpointWriter::commit(const json& meta, const std::string& config_toml) {
  Impl& w = *impl_;
  SZ_ASSERT(!w.ended);
  w.ended = true;
  std::string record;
  if (!w.failure) w.keep(catching([&] { record = w.finish_state(); }));
  agree(w.comm, w.name, w.failure);
  const std::vector<std::string> records = gather_texts(w.comm, record);
  if (w.comm.rank() == 0) w.keep(catching([&] { w.publish(records, meta, config_toml); }));
  agree(w.comm, w.name, w.failure);
  w.committed = true;
}

}  // namespace sz
