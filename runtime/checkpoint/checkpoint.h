// Checkpoints: the only owner of their file layout.
//
// A checkpoint is a folder ROOT/step-N (ROOT is usually RUN/checkpoints) that holds manifest.json, config.toml,
// a safetensors file of each rank that had something to save, and plugins' state as versioned blobs. It is written
// aside, synced and renamed, so that killing the processes at any moment leaves the last one whole. The ranks of a
// run must see ROOT on one shared file system. How many ranks wrote it does not matter to whoever reads it.
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "comm/communicator.h"

namespace sz {

// One stretch of one named array of one parameter.
struct Piece {
  std::string parameter;         // UTF-8, not empty
  std::string state;             // "master", "exp_avg": letters, digits, '_', '-', '.'
  std::vector<int64_t> shape;    // of the whole parameter
  DType dtype = DType::kF32;
  int64_t begin = 0, end = 0;    // flat elements
  const void* bytes = nullptr;   // (end - begin) elements, borrowed for the call
};

enum class BlobScope : uint8_t { kCheckpoint = 0, kCheckpointAndRollback = 1 };

struct Blob {
  std::string plugin;  // id of whose state it is: letters, digits, '_', '-', '.'
  uint32_t version = 1;
  BlobScope scope = BlobScope::kCheckpoint;
  std::string bytes;
};

// Writes one checkpoint. Thread: one, the same calls on all ranks in the same order; constructor and commit() are
// collective (Channel::kData), add() and blob() are not.
//
// A failure on one rank (a full disk, a lost mount) fails commit() on all of them with an Error that names rank and
// cause, and leaves the previous checkpoint whole: kExhausted for a full disk, kUsage where the folder isn't
// writable. When a writer goes without commit(), rank 0 removes what all have written.
class CheckpointWriter {
 public:
  CheckpointWriter(const std::string& root, int64_t step, int64_t attempt, Communicator& comm);
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  // Streams the stretch to disk at once. Over all ranks each element of each array must come exactly once.
  // I/O errors are kept for commit(), and further pieces are dropped.
  void add(const Piece& piece);
  // State of a plugin; calls on other ranks than 0 are ignored. I/O errors are kept for commit().
  void blob(const Blob& blob);
  // Makes commit() fail on all ranks with this cause: for a rank that could not export its state.
  void fail(Exit exit, const std::string& cause);
  // Collective. Rank 0's `meta` (a JSON object: counters, matrix route, sampler's state, ...) and resolved config
  // are saved. Once it returns, ROOT/step-N is whole and on disk, and a former step-N is gone.
  void commit(const nlohmann::json& meta, const std::string& config_toml);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct ArrayInfo {
  std::string parameter, state;
  std::vector<int64_t> shape;
  DType dtype = DType::kF32;
};

// Reads a checkpoint, whoever wrote it. Thread: any. Errors: kCorrupt, "PATH: what".
class CheckpointReader {
 public:
  // Checks the manifest, that all files are there in their full sizes, and the headers of all state files.
  static CheckpointReader open(const std::string& folder);
  // Reads every byte and compares checksums; kCorrupt names the file and what is damaged.
  void verify() const;

  const std::string& folder() const;
  int64_t step() const;
  int64_t attempt() const;
  int ranks() const;  // that wrote it
  const nlohmann::json& meta() const;
  std::string config_toml() const;

  std::vector<ArrayInfo> arrays() const;  // by parameter, then state
  bool has(const std::string& parameter, const std::string& state) const;
  ArrayInfo info(const std::string& parameter, const std::string& state) const;  // kCorrupt where absent
  // Copies flat elements [begin, end) in the array's dtype to `to`, from whichever files hold them.
  // kCorrupt, naming the stretch, where the array is absent or part of it is.
  void read(const std::string& parameter, const std::string& state, int64_t begin, int64_t end, void* to) const;
  std::optional<Blob> blob(const std::string& plugin) const;
  std::vector<std::string> blobs() const;  // ids

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

struct CheckpointInfo {
  std::string folder;
  int64_t step = 0, attempt = 0;
  int64_t serial = 0;  // counts the checkpoints saved in this root: the newest has the highest
  int ranks = 0;
};

// Those in ROOT that are whole (manifest intact, all files in full size; no checksums), oldest first. Folders that
// are being written, or were when a process died, do not count. No ROOT: none.
std::vector<CheckpointInfo> list_checkpoints(const std::string& root);

// The folder to resume from; call it on one rank and broadcast. `from` is "auto": the newest checkpoint of ROOT
// whose verification passes, with a warning for each damaged one that is passed over, or "" where there is none.
// Else a path: a step folder (verified, kCorrupt where damaged), or a run folder or checkpoints folder, whose newest
// one is taken (kUsage where there is none). Where there are some and all are damaged: kCorrupt, naming them.
std::string find_resume(const std::string& root, const std::string& from);

// Keeps the `keep` (at least 1) newest whole ones and removes older ones and leftovers of dead processes. Call it
// on one rank, after commit().
void prune_checkpoints(const std::string& root, int64_t keep);

}  // namespace sz
